! Writes Pajé traces from Fortran: a binding of pajewrite.h by iso_c_binding.  Link with writer.c.
!
! Events call the C functions directly, and cost the same.  Definitions take Fortran strings, and trim them.
module pajewrite
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: paje_open, paje_close, paje_problem
    public :: define_container_type, define_state_type, define_variable_type, define_link_type, define_value
    public :: create_container, destroy_container
    public :: set_state, push_state, pop_state, set_variable, set_variable_double, start_link, end_link

    ! Identifiers have a type for each kind, so that the compiler detects when they are mixed up.
    type, bind(c), public :: paje_type
        integer(c_int32_t) :: alias
    end type
    type, bind(c), public :: paje_container
        integer(c_int32_t) :: alias
    end type
    type, bind(c), public :: paje_value
        integer(c_int32_t) :: alias
    end type

    type(paje_type), parameter, public :: paje_root_type = paje_type(0)
    type(paje_container), parameter, public :: paje_root = paje_container(0)

    interface
        subroutine set_state(w, container, type, value) bind(c, name='pajewrite_set_state')
            import
            type(c_ptr), value :: w
            type(paje_container), value :: container
            type(paje_type), value :: type
            type(paje_value), value :: value
        end subroutine

        subroutine push_state(w, container, type, value) bind(c, name='pajewrite_push_state')
            import
            type(c_ptr), value :: w
            type(paje_container), value :: container
            type(paje_type), value :: type
            type(paje_value), value :: value
        end subroutine

        subroutine pop_state(w, container, type) bind(c, name='pajewrite_pop_state')
            import
            type(c_ptr), value :: w
            type(paje_container), value :: container
            type(paje_type), value :: type
        end subroutine

        subroutine set_variable(w, container, type, number) bind(c, name='pajewrite_set_variable')
            import
            type(c_ptr), value :: w
            type(paje_container), value :: container
            type(paje_type), value :: type
            integer(c_int64_t), value :: number
        end subroutine

        subroutine set_variable_double(w, container, type, number) bind(c, name='pajewrite_set_variable_double')
            import
            type(c_ptr), value :: w
            type(paje_container), value :: container
            type(paje_type), value :: type
            real(c_double), value :: number
        end subroutine

        ! The link belongs to `container` and leads from `start` to `end`; both ends have the same key.
        subroutine start_link(w, container, type, value, start, key) bind(c, name='pajewrite_start_link')
            import
            type(c_ptr), value :: w
            type(paje_container), value :: container, start
            type(paje_type), value :: type
            type(paje_value), value :: value
            integer(c_int64_t), value :: key
        end subroutine

        subroutine end_link(w, container, type, value, end, key) bind(c, name='pajewrite_end_link')
            import
            type(c_ptr), value :: w
            type(paje_container), value :: container, end
            type(paje_type), value :: type
            type(paje_value), value :: value
            integer(c_int64_t), value :: key
        end subroutine

        subroutine destroy_container(w, container, type) bind(c, name='pajewrite_destroy_container')
            import
            type(c_ptr), value :: w
            type(paje_container), value :: container
            type(paje_type), value :: type
        end subroutine

        ! Closes the trace.  Returns 0, or the first error of any call, whose text paje_problem returns.
        integer(c_int) function paje_close(w) bind(c, name='pajewrite_fortran_close')
            import
            type(c_ptr), value :: w
        end function
    end interface

contains

    ! Returns a writer of a new file, which has the header already.
    type(c_ptr) function paje_open(name) result(w)
        character(*), intent(in) :: name
        interface
            type(c_ptr) function c_open(name) bind(c, name='pajewrite_fortran_open')
                import
                character(kind=c_char), intent(in) :: name(*)
            end function
        end interface
        w = c_open(trim(name)//c_null_char)
        if (.not. c_associated(w)) error stop 'pajewrite: no memory'
    end function

    function paje_problem(status) result(text)
        integer(c_int), intent(in) :: status
        character(:), allocatable :: text
        character(kind=c_char), pointer :: bytes(:)
        integer :: i
        interface
            type(c_ptr) function c_text(status) bind(c, name='pajewrite_status_text')
                import
                integer(c_int), value :: status
            end function
        end interface
        call c_f_pointer(c_text(status), bytes, [200])
        text = ''
        do i = 1, 200
            if (bytes(i) == c_null_char) exit
            text = text//bytes(i)
        end do
    end function

    subroutine define_container_type(w, type, parent, name)
        type(c_ptr), intent(in) :: w
        type(paje_type), intent(in) :: type, parent
        character(*), intent(in) :: name
        interface
            subroutine c_define(w, type, parent, name) bind(c, name='pajewrite_define_container_type')
                import
                type(c_ptr), value :: w
                type(paje_type), value :: type, parent
                character(kind=c_char), intent(in) :: name(*)
            end subroutine
        end interface
        call c_define(w, type, parent, trim(name)//c_null_char)
    end subroutine

    subroutine define_state_type(w, type, of, name)
        type(c_ptr), intent(in) :: w
        type(paje_type), intent(in) :: type, of
        character(*), intent(in) :: name
        interface
            subroutine c_define(w, type, of, name) bind(c, name='pajewrite_define_state_type')
                import
                type(c_ptr), value :: w
                type(paje_type), value :: type, of
                character(kind=c_char), intent(in) :: name(*)
            end subroutine
        end interface
        call c_define(w, type, of, trim(name)//c_null_char)
    end subroutine

    subroutine define_variable_type(w, type, of, name, color)
        type(c_ptr), intent(in) :: w
        type(paje_type), intent(in) :: type, of
        character(*), intent(in) :: name, color
        interface
            subroutine c_define(w, type, of, name, color) bind(c, name='pajewrite_define_variable_type')
                import
                type(c_ptr), value :: w
                type(paje_type), value :: type, of
                character(kind=c_char), intent(in) :: name(*), color(*)
            end subroutine
        end interface
        call c_define(w, type, of, trim(name)//c_null_char, trim(color)//c_null_char)
    end subroutine

    ! `start` and `end` are the types of the containers at the ends of links; `of` is a common ancestor of both.
    subroutine define_link_type(w, type, of, start, end, name)
        type(c_ptr), intent(in) :: w
        type(paje_type), intent(in) :: type, of, start, end
        character(*), intent(in) :: name
        interface
            subroutine c_define(w, type, of, start, end, name) bind(c, name='pajewrite_define_link_type')
                import
                type(c_ptr), value :: w
                type(paje_type), value :: type, of, start, end
                character(kind=c_char), intent(in) :: name(*)
            end subroutine
        end interface
        call c_define(w, type, of, start, end, trim(name)//c_null_char)
    end subroutine

    ! `color` is red, green and blue from 0 to 1, such as '0.2 0.7 0.3'.
    subroutine define_value(w, value, type, name, color)
        type(c_ptr), intent(in) :: w
        type(paje_value), intent(in) :: value
        type(paje_type), intent(in) :: type
        character(*), intent(in) :: name, color
        interface
            subroutine c_define(w, value, type, name, color) bind(c, name='pajewrite_define_value')
                import
                type(c_ptr), value :: w
                type(paje_value), value :: value
                type(paje_type), value :: type
                character(kind=c_char), intent(in) :: name(*), color(*)
            end subroutine
        end interface
        call c_define(w, value, type, trim(name)//c_null_char, trim(color)//c_null_char)
    end subroutine

    subroutine create_container(w, container, type, parent, name)
        type(c_ptr), intent(in) :: w
        type(paje_container), intent(in) :: container, parent
        type(paje_type), intent(in) :: type
        character(*), intent(in) :: name
        interface
            subroutine c_create(w, container, type, parent, name) bind(c, name='pajewrite_create_container')
                import
                type(c_ptr), value :: w
                type(paje_container), value :: container, parent
                type(paje_type), value :: type
                character(kind=c_char), intent(in) :: name(*)
            end subroutine
        end interface
        call c_create(w, container, type, parent, trim(name)//c_null_char)
    end subroutine
end module
