! A program in Fortran that adds to its own trace, by threads of OpenMP.
program user
    use pajetrace
    implicit none
    integer :: i
    integer(pajetrace_state) :: state, inner
    real :: residual
    residual = 1
    state = pajetrace_begin('solve  ')
    do i = 1, 10
        inner = pajetrace_begin('step')
        residual = residual / 2
        call pajetrace_set('residual', residual)
        call pajetrace_end(inner)
    end do
    call pajetrace_mark('converged')
    call pajetrace_set('steps', 10d0)
    !$omp parallel do private(inner)
    do i = 1, 8
        inner = pajetrace_begin('in a thread')
        call pajetrace_end(inner)
    end do
    call pajetrace_end(state)
    print '(a)', 'solved'
end program
