! pajetrace.f90: a program's own states, marks and numbers in the trace that `paje trace` makes of it; see pajetrace.h.
!
! Copy this file; nothing has to be linked (with glibc before 2.34, -ldl).  Without `paje trace`, the calls do nothing.
!
!     use pajetrace
!     integer(pajetrace_state) :: state
!     state = pajetrace_begin('solve')            ! a state of this thread
!     call pajetrace_set('residual', residual)    ! a variable of this thread
!     call pajetrace_mark('converged')            ! an event
!     call pajetrace_end(state)
!
! Blanks at the end of names do not count.
module pajetrace
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: pajetrace_begin, pajetrace_end, pajetrace_mark, pajetrace_set
    integer, parameter, public :: pajetrace_state = c_int

    abstract interface
        integer(c_int) function begin_call(name) bind(c)
            import :: c_char, c_int
            character(kind=c_char), intent(in) :: name(*)
        end function
        subroutine end_call(state) bind(c)
            import :: c_int
            integer(c_int), value :: state
        end subroutine
        subroutine mark_call(name) bind(c)
            import :: c_char
            character(kind=c_char), intent(in) :: name(*)
        end subroutine
        subroutine set_call(name, value) bind(c)
            import :: c_char, c_double
            character(kind=c_char), intent(in) :: name(*)
            real(c_double), value :: value
        end subroutine
    end interface

    interface
        ! The handle NULL: all libraries that the program has loaded.
        type(c_funptr) function dlsym(handle, name) bind(c)
            import :: c_char, c_funptr, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
        end function
    end interface

    interface pajetrace_set
        module procedure set_double, set_single
    end interface

contains

    type(c_funptr) function find(name)
        character(*), intent(in) :: name
        find = dlsym(c_null_ptr, 'pajetrace_lib_' // name // c_null_char)
    end function

    ! Begins a state.  Returns what to pass to pajetrace_end.
    integer(pajetrace_state) function pajetrace_begin(name)
        character(*), intent(in) :: name
        type(c_funptr), save :: address
        logical, save :: is_looked_up = .false.
        procedure(begin_call), pointer :: begin
        if (.not. is_looked_up) address = find('begin')
        is_looked_up = .true.
        pajetrace_begin = 0
        if (.not. c_associated(address)) return
        call c_f_procpointer(address, begin)
        pajetrace_begin = begin(trim(name) // c_null_char)
    end function

    subroutine pajetrace_end(state)
        integer(pajetrace_state), intent(in) :: state
        type(c_funptr), save :: address
        logical, save :: is_looked_up = .false.
        procedure(end_call), pointer :: end_state
        if (.not. is_looked_up) address = find('end')
        is_looked_up = .true.
        if (state == 0 .or. .not. c_associated(address)) return
        call c_f_procpointer(address, end_state)
        call end_state(state)
    end subroutine

    ! An event at this moment.
    subroutine pajetrace_mark(name)
        character(*), intent(in) :: name
        type(c_funptr), save :: address
        logical, save :: is_looked_up = .false.
        procedure(mark_call), pointer :: mark
        if (.not. is_looked_up) address = find('mark')
        is_looked_up = .true.
        if (.not. c_associated(address)) return
        call c_f_procpointer(address, mark)
        call mark(trim(name) // c_null_char)
    end subroutine

    ! Sets a number that changes over time.
    subroutine set_double(name, value)
        character(*), intent(in) :: name
        real(c_double), intent(in) :: value
        type(c_funptr), save :: address
        logical, save :: is_looked_up = .false.
        procedure(set_call), pointer :: set
        if (.not. is_looked_up) address = find('set')
        is_looked_up = .true.
        if (.not. c_associated(address)) return
        call c_f_procpointer(address, set)
        call set(trim(name) // c_null_char, value)
    end subroutine

    subroutine set_single(name, value)
        character(*), intent(in) :: name
        real(c_float), intent(in) :: value
        call set_double(name, real(value, c_double))
    end subroutine
end module
