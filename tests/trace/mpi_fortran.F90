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
    type(MPI_Comm) :: copy
#else
    integer :: requests(2), copy
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
    call MPI_Comm_idup(MPI_COMM_WORLD, copy, requests(1), error)
    call use_stack(8)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
    call MPI_Barrier(copy, error)
    call MPI_Comm_free(copy, error)
    if (rank == 0) print *, int(to(1)), int(all(1))
    call MPI_Finalize(error)
contains
    ! Writes over what calls have left on the stack.
    recursive subroutine use_stack(times)
        integer, intent(in) :: times
        integer :: room(200)
        room = 77777 * times
        if (times > 0) call use_stack(times - 1)
        if (sum(room) == 1) print *, room
    end subroutine
end program
