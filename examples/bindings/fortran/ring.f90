! Traces MPI ranks in Fortran: numbers travel round a ring of ranks.
! usage: mpirun -n 4 ring PREFIX [ROUNDS]
!
! Each rank writes PREFIX.RANK.trace; `paje merge --align -o all.trace PREFIX.*.trace` makes one trace of them.
program ring
    use, intrinsic :: iso_c_binding
    use mpi
    use pajewrite
    implicit none

    ! All ranks define the same types and values; merging makes one of each.
    type(paje_type), parameter :: rank_type = paje_type(1), activity = paje_type(2)
    type(paje_type), parameter :: sum_type = paje_type(3), message = paje_type(4)
    type(paje_value), parameter :: computing = paje_value(1), sending = paje_value(2), receiving = paje_value(3)
    type(paje_value), parameter :: number = paje_value(1)

    type(c_ptr) :: w
    type(paje_container) :: me
    character(len=1000) :: prefix, name
    character(len=20) :: text
    integer :: rank, ranks, left, right, request, step, rounds, error
    integer(c_int) :: status
    real(c_double) :: mine, theirs, total

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    call get_command_argument(1, prefix)
    if (prefix == '') then
        if (rank == 0) print '(a)', 'usage: ring PREFIX [ROUNDS]'
        call MPI_Abort(MPI_COMM_WORLD, 2, error)
    end if
    rounds = 10
    call get_command_argument(2, text)
    if (text /= '') read (text, *) rounds
    left = modulo(rank - 1, ranks)
    right = modulo(rank + 1, ranks)

    ! Time 0 is the end of the barrier, which differs a little between ranks; --align corrects that.
    write (name, '(2a,i0,a)') trim(prefix), '.', rank, '.trace'
    call MPI_Barrier(MPI_COMM_WORLD, error)
    w = paje_open(name)
    call define_container_type(w, rank_type, paje_root_type, 'Rank')
    call define_state_type(w, activity, rank_type, 'Activity')
    call define_value(w, computing, activity, 'computing', '0.2 0.7 0.3')
    call define_value(w, sending, activity, 'sending', '0.2 0.4 0.8')
    call define_value(w, receiving, activity, 'receiving', '0.8 0.2 0.2')
    call define_variable_type(w, sum_type, rank_type, 'Sum', '0.7 0.3 0.7')
    call define_link_type(w, message, paje_root_type, rank_type, rank_type, 'Message')
    call define_value(w, number, message, 'number', '0.5 0.5 0.5')
    me = paje_container(rank + 1)
    write (name, '(a,i0)') 'rank ', rank
    call create_container(w, me, rank_type, paje_root, name)

    total = 0
    mine = rank + 1
    do step = 1, rounds*ranks
        call push_state(w, me, activity, sending)
        call start_link(w, paje_root, message, number, me, key(step, rank))
        call MPI_Isend(mine, 1, MPI_DOUBLE_PRECISION, right, 0, MPI_COMM_WORLD, request, error)
        call pop_state(w, me, activity)

        call push_state(w, me, activity, receiving)
        call MPI_Recv(theirs, 1, MPI_DOUBLE_PRECISION, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
        call end_link(w, paje_root, message, number, me, key(step, left))
        call MPI_Wait(request, MPI_STATUS_IGNORE, error)
        call pop_state(w, me, activity)

        call push_state(w, me, activity, computing)
        total = total + theirs
        mine = theirs
        call set_variable_double(w, me, sum_type, total)
        call pop_state(w, me, activity)
    end do
    call destroy_container(w, me, rank_type)

    status = paje_close(w)
    if (status /= 0) print '(3a)', 'ring: ', trim(prefix), ': '//paje_problem(status)
    if (rank == 0) print '(f0.1)', total
    call MPI_Finalize(error)
    if (status /= 0) stop 1

contains

    ! Returns the key of a message: the sender and the receiver compute the same, and no other message has it.
    pure integer(c_int64_t) function key(step, from)
        integer, intent(in) :: step, from
        key = int(step, c_int64_t)*ranks + from
    end function
end program
