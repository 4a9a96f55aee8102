! Calls of MPI in Fortran, for the tests of the tracer: by MPIF (mpif.h), F08 (mpi_f08), else by `use mpi`.
program ring
#ifdef F08
    use mpi_f08
#elif !defined MPIF
    use mpi
#endif
    implicit none
#ifdef MPIF
    include 'mpif.h'
#endif
#ifdef F08
    type(MPI_Request) :: requests(2)
#else
    integer :: requests(2)
#endif
    integer :: rank, size, error, i
    double precision :: from(100), to(100), all(100)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, size, error)
    from = rank
    all = 1
    do i = 1, 10
        call MPI_Irecv(to, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, requests(1), error)
        call MPI_Isend(from, i, MPI_DOUBLE_PRECISION, mod(rank + 1, size), i, MPI_COMM_WORLD, requests(2), error)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
        call MPI_Allreduce(MPI_IN_PLACE, all, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    end do
    if (rank == 0) print *, int(to(1)), int(all(1))
    call MPI_Finalize(error)
end program
