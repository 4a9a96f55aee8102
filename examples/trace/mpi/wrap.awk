# Makes the wrappers of what the installed mpi.h declares, from its preprocessed text.
#   awk -f wrap.awk -v part=calls     the declarations of calls that are written by hand
#   awk -f wrap.awk -v part=wrappers  the wrappers
#
# Each function has two: MPI_X and PMPI_X.  Libraries of Fortran call one of both, so Fortran needs nothing more.  A call
# within another is passed on.  Local queries, and what works on groups, types and the like, have none: they take no time.
BEGIN {
    if (part == "wrappers")
        print "#include \"call.h\"\n#include \"calls.h\"\n#include \"collectives.h\"\n#include \"requests.h\"\n" \
              "#include \"windows.h\"\n"
    RS = ";"
    split("Send Bsend Ssend Rsend Isend Ibsend Issend Irsend Send_init Bsend_init Ssend_init Rsend_init " \
          "Recv Irecv Recv_init Sendrecv Sendrecv_replace Isendrecv Isendrecv_replace Mprobe Improbe Mrecv Imrecv " \
          "Start Startall Cancel Request_free Wait Waitall Waitany Waitsome Test Testall Testany Testsome " \
          "Comm_dup Comm_dup_with_info Comm_idup Comm_idup_with_info Comm_split Comm_split_type Comm_create " \
          "Comm_create_group Cart_create Cart_sub Graph_create Dist_graph_create Dist_graph_create_adjacent " \
          "Intercomm_create Intercomm_merge Comm_free Comm_disconnect " \
          "Comm_spawn Comm_spawn_multiple Psend_init Precv_init Win_free Finalize", names, " ")
    for (i in names)
        by_hand[names[i]] = 1

    # Collective operations: the bytes, by the names of MPI's own parameters.
    collective["Barrier"] = "0"
    collective["Scan"] = collective["Exscan"] = collective["Allreduce"] = "mpi_bytes(count, datatype)"
    collective["Bcast"] = collective["Reduce"] = "root == MPI_PROC_NULL ? 0 : mpi_bytes(count, datatype)"
    collective["Gather"] = "mpi_buffer_bytes(sendbuf, sendcount, sendtype, recvcount, recvtype, root)"
    collective["Gatherv"] = "mpi_buffer_bytes(sendbuf, sendcount, sendtype, " \
        "sendbuf == MPI_IN_PLACE ? recvcounts[root] : 0, recvtype, root)"
    collective["Scatter"] = "mpi_is_root(root, comm) ? mpi_peers(comm) * mpi_bytes(sendcount, sendtype) : " \
        "mpi_buffer_bytes(recvbuf, recvcount, recvtype, 0, recvtype, root)"
    collective["Scatterv"] = "mpi_is_root(root, comm) ? MPI_SUM_BYTES(sendcounts, sendtype, NULL, mpi_peers(comm)) : " \
        "mpi_buffer_bytes(recvbuf, recvcount, recvtype, 0, recvtype, root)"
    collective["Allgather"] = "mpi_buffer_bytes(sendbuf, sendcount, sendtype, recvcount, recvtype, 0)"
    collective["Allgatherv"] = "mpi_buffer_bytes(sendbuf, sendcount, sendtype, " \
        "sendbuf == MPI_IN_PLACE ? recvcounts[mpi_rank(comm)] : 0, recvtype, 0)"
    collective["Alltoall"] = "mpi_peers(comm) * mpi_buffer_bytes(sendbuf, sendcount, sendtype, recvcount, recvtype, 0)"
    collective["Alltoallv"] = "sendbuf == MPI_IN_PLACE ? MPI_SUM_BYTES(recvcounts, recvtype, NULL, mpi_peers(comm)) : " \
        "MPI_SUM_BYTES(sendcounts, sendtype, NULL, mpi_peers(comm))"
    collective["Alltoallw"] = "sendbuf == MPI_IN_PLACE ? MPI_SUM_BYTES(recvcounts, MPI_BYTE, recvtypes, mpi_peers(comm)) : " \
        "MPI_SUM_BYTES(sendcounts, MPI_BYTE, sendtypes, mpi_peers(comm))"
    collective["Reduce_scatter"] = "MPI_SUM_BYTES(recvcounts, datatype, NULL, mpi_size(comm))"
    collective["Reduce_scatter_block"] = "mpi_size(comm) * mpi_bytes(recvcount, datatype)"

    collective["Neighbor_allgather"] = collective["Neighbor_allgatherv"] = collective["Neighbor_alltoall"] = \
        "mpi_neighbors(comm) * mpi_bytes(sendcount, sendtype)"
    collective["Neighbor_alltoallv"] = "MPI_NEIGHBORS_BYTES(sendcounts, sendtype, NULL, comm)"
    collective["Neighbor_alltoallw"] = "MPI_NEIGHBORS_BYTES(sendcounts, MPI_BYTE, sendtypes, comm)"

    # Rooted ones: whether the root sends, the bytes for each of the others, as the root has them, and as these have them.
    rooted("Bcast", 1, "mpi_bytes(count, datatype)", "mpi_bytes(count, datatype)")
    rooted("Scatter", 1, "mpi_bytes(sendcount, sendtype)", "mpi_bytes(recvcount, recvtype)")
    rooted("Scatterv", 1, "mpi_bytes(sendcounts[other], sendtype)", "mpi_bytes(recvcount, recvtype)")
    rooted("Gather", 0, "mpi_bytes(recvcount, recvtype)", "mpi_bytes(sendcount, sendtype)")
    rooted("Gatherv", 0, "mpi_bytes(recvcounts[other], recvtype)", "mpi_bytes(sendcount, sendtype)")
    rooted("Reduce", 0, "mpi_bytes(count, datatype)", "mpi_bytes(count, datatype)")

    # One-sided communication: what it does; its bytes are those that it uses of the target.
    access["Put"] = access["Rput"] = "TRACE_PUT"
    access["Get"] = access["Rget"] = "TRACE_GET"
    access["Accumulate"] = access["Raccumulate"] = access["Get_accumulate"] = access["Rget_accumulate"] = \
        access["Fetch_and_op"] = access["Compare_and_swap"] = "TRACE_UPDATE"

    queries = "^(Get_(count|elements|elements_x|address|version|library_version|processor_name)|Initialized|Finalized|" \
        "Init|Init_thread|Is_thread_main|Query_thread|Pcontrol|Address|Error_.*|Errhandler_.*|Add_error_.*|" \
        "Remove_error_.*|Type_.*|Pack.*|Unpack.*|Status_.*|Group_.*|Op_.*|Info_.*|Attr_.*|Keyval_.*|.*_keyval|" \
        "Comm_(rank|size|compare|group|remote_size|remote_group|test_inter|get_.*|set_.*|delete_attr|call_errhandler|" \
        "create_errhandler)|Win_(get_.*|set_.*|delete_attr|call_errhandler|create_errhandler)|" \
        "File_(get_.*|set_(errhandler|atomicity|info)|call_errhandler|create_errhandler)|.*_(get|set)_errhandler|" \
        "Topo_test|Cart_(get|rank|coords|shift|map)|Cartdim_get|Graph_(get|map|neighbors|neighbors_count)|Graphdims_get|" \
        "Dims_create|Dist_graph_neighbors.*|Alloc_mem|Free_mem|DUP_FN|.*_FN|Test_cancelled|Grequest_.*|Buffer_.*|" \
        "Register_datarep|Request_get_status|Session_.*|Sizeof|.*_(f2c|c2f|f082c|c2f08|f082f|f2f08))$"
}

function rooted(name, sends, bytes_of_root, bytes_of_others)
{
    root_sends[name] = sends
    root_bytes[name] = bytes_of_root
    other_bytes[name] = bytes_of_others
}

function color_of(name)
{
    if (name ~ /^(I?[bsr]?send|Psend)/ || name ~ /^[BSR]?[Ss]end/) return "0.20 0.40 0.85"
    if (name ~ /[Rr]ecv/) return "0.85 0.25 0.25"
    if (name ~ /^(Wait|Test|I?M?[Pp]robe|Improbe)/) return "0.95 0.60 0.20"
    if (name ~ /Barrier/) return "0.75 0.20 0.50"
    if (name in is_collective) return "0.55 0.30 0.75"
    if (name ~ /^(Put|Get|R(put|get|accumulate)|Accumulate|Fetch|Compare|Win_)/) return "0.15 0.60 0.60"
    if (name ~ /^File_/) return "0.25 0.60 0.90"
    return "0.60 0.60 0.70"
}

# Splits parameters into P[1..n]; returns how many.
function split_parameters(text,    i, c, depth, n)
{
    n = 1
    P[1] = ""
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "(") - (c == ")")
        if (c == "," && !depth)
            P[++n] = ""
        else
            P[n] = P[n] c
    }
    return n
}

function argument(parameter)
{
    gsub(/\[[^]]*\]/, "", parameter)
    sub(/ +$/, "", parameter)
    sub(/^.*[^A-Za-z0-9_]/, "", parameter)
    return parameter
}

function has_parameter(name,    i)
{
    for (i = 1; i <= count; i++)
        if (argument(P[i]) == name)
            return 1
    return 0
}

# The parameter before another one: its name is misspelt in some mpi.h.
function count_before(name,    i)
{
    for (i = 2; i <= count; i++)
        if (argument(P[i]) == name)
            return P[i - 1]
}

function makes_request(    i)
{
    for (i = 1; i <= count; i++)
        if (P[i] ~ /MPI_Request ?\*/)
            return 1
    return 0
}

function wrap(name, full, parameters, arguments,    call)
{
    call = "next_" full "(" arguments ")"
    if (!hand && makes_request())
        call = "mpi_made(" call ", request)"
    printf "static int (*next_%s)(%s);\n", full, parameters
    printf "TRACE_EXPORT int %s(%s)\n{\n    const void *frame = __builtin_frame_address(0);\n", full, parameters
    printf "    if (!next_%s)\n        mpi_find_next(\"%s\", &next_%s);\n", full, full, full
    printf "    if (mpi_passes(frame))\n        return next_%s(%s);\n", full, arguments
    if (bytes != "")
        printf "    mpi_call call MPI_LEAVES = mpi_enter_collective(&state_%s, frame, comm, %s,\n" \
               "        trace_is_on(TRACE_MPI) ? (int64_t)(%s) : 0);\n", name, \
               has_parameter("root") ? "root" : "-1", bytes
    else if (base in access)
        printf "    trace_access access = mpi_access_to(%s, win, target_rank,\n" \
               "        trace_is_on(TRACE_MPI) ? mpi_bytes(%s) : 0);\n" \
               "    mpi_call call MPI_LEAVES = mpi_enter_access(&state_%s, frame, &access);\n", access[base], \
               has_parameter("target_datatype") ? argument(count_before("target_datatype")) ", target_datatype" : \
               "1, datatype", name
    else
        printf "    mpi_call call MPI_LEAVES = mpi_enter(&state_%s, frame);\n", name
    if (base in access)
        printf "    return mpi_accessed(&access, %s);\n}\n\n", call
    else if (base in root_sends) {
        printf "    const int result = next_%s(%s);\n    int other;\n", full, arguments
        printf "    if (mpi_has_links(result, root) && mpi_is_root(root, comm))\n" \
               "        for (other = mpi_peers(comm) - 1; other >= 0; other--)\n" \
               "            mpi_link_collective(&call, comm, other, %d, (int64_t)(%s));\n", root_sends[base], \
               root_bytes[base]
        printf "    else if (mpi_has_links(result, root))\n" \
               "        mpi_link_collective(&call, comm, root, %d, (int64_t)(%s));\n    return result;\n}\n\n", \
               !root_sends[base], other_bytes[base]
    } else if (hand)
        printf "    return call_%s(next_%s%s);\n}\n\n", name, full, arguments == "" ? "" : ", " arguments
    else
        printf "    return %s;\n}\n\n", call
}

{
    gsub(/\n#[^\n]*/, " ")
    gsub(/\n/, " ")
    gsub(/__attribute__ *\(\([^()]*(\([^()]*(\([^()]*\)[^()]*)*\)[^()]*)*\)\)/, "")
    gsub(/[ \t]+/, " ")
    if (!match($0, /(^| )int MPI_[A-Z][A-Za-z_0-9]*\(.*\)/))
        next
    text = substr($0, RSTART, RLENGTH)
    sub(/^ *int MPI_/, "", text)
    name = parameters = text
    sub(/\(.*/, "", name)
    sub(/^[^(]*\(/, "", parameters)
    sub(/\) *$/, "", parameters)
    if (name in seen || name ~ /^T_/ || name ~ queries || parameters ~ /\.\.\./)
        next
    seen[name] = 1
    count = parameters == "void" ? 0 : split_parameters(parameters)
    arguments = ""
    for (i = 1; i <= count; i++)
        arguments = arguments (i > 1 ? ", " : "") argument(P[i])
    base = name
    sub(/_c$/, "", base)
    hand = base in by_hand
    if (hand && part == "calls")
        printf "int call_%s(int (*next)(%s)%s);\n", name, parameters, count ? ", " parameters : ""
    if (part != "wrappers")
        next
    operation = base
    sub(/_init$/, "", operation)
    if (operation ~ /^I[a-z]/)
        operation = toupper(substr(operation, 2, 1)) substr(operation, 3)
    bytes = ""
    if (operation in collective) {
        bytes = collective[operation]
        is_collective[name] = 1
    }
    printf "static trace_defined state_%s = {\"MPI_%s\", \"%s\", 0};\n", name, name, color_of(name)
    wrap(name, "MPI_" name, parameters, arguments)
    wrap(name, "PMPI_" name, parameters, arguments)
}
