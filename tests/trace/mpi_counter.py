"""Prints a library in C that counts the calls of MPI, to be preloaded behind the tracer's: its figures are compared with
those of traces.  Reads the preprocessed mpi.h.

Each process writes COUNTER.RANK at MPI_Finalize, with lines NAME CALLS; and sent, nowhere, bytes: messages that were sent,
those of them to MPI_PROC_NULL, and bytes of the others.  Calls within calls of MPI are not counted.
"""
import re
import sys

text = re.sub(r"__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)", " ", sys.stdin.read())
text = re.sub(r"^#.*", " ", text, flags=re.M)
SENDS = ("Send Bsend Ssend Rsend Isend Ibsend Issend Irsend Sendrecv Sendrecv_replace Isendrecv "
         "Isendrecv_replace").split()
names = []
print("#define _GNU_SOURCE\n#include <mpi.h>\n#include <sched.h>\n#include <stdio.h>\n#include <stdlib.h>")
print("static __thread int inside; static long sent, nowhere, bytes;")
print("static void add(int to, long count, MPI_Datatype type) { int size; if (to == MPI_PROC_NULL) { nowhere++; return; }\n"
      "  PMPI_Type_size(type, &size); __atomic_add_fetch(&sent, 1, 5); __atomic_add_fetch(&bytes, count * size, 5); }")
print("static struct { MPI_Request request; int to; long count; MPI_Datatype type; } kept[100]; static int kept_count;\n"
      "static void keep(MPI_Request request, int to, long count, MPI_Datatype type)\n"
      "{ kept[kept_count].request = request; kept[kept_count].to = to; kept[kept_count].count = count;\n"
      "  kept[kept_count++].type = type; }\n"
      "static void start(MPI_Request request)\n"
      "{ for (int i = kept_count; i-- > 0;) if (kept[i].request == request) {\n"
      "    add(kept[i].to, kept[i].count, kept[i].type); return; } }")
for name, parameters in re.findall(r"\bint\s+(MPI_[A-Z]\w*)\s*\(([^;]*)\)\s*;", text):
    if name in names or "..." in parameters or name.endswith(("_c", "_FN")) or name.startswith("MPI_T_"):
        continue
    if name in ("MPI_Finalize", "MPI_Init", "MPI_Init_thread", "MPI_Pcontrol"):
        continue
    names.append(name)
    arguments = [] if parameters.strip() == "void" else [
        re.sub(r"\[[^]]*\]", "", p).strip().split()[-1].lstrip("*") for p in parameters.split(",")]
    pointers = [p for p in parameters.split(",") if "(" in p]
    if pointers:
        names.pop()
        continue
    short = name[4:]
    add = after = ""
    if short in SENDS:
        after = "if (!inside && !own_result) add(%s, %s, %s); " % ((arguments[3], arguments[1], arguments[2]))
    if short in ("Send_init", "Bsend_init", "Ssend_init", "Rsend_init"):
        after = "keep(*%s, %s, %s, %s); " % (arguments[6], arguments[3], arguments[1], arguments[2])
    if short == "Wait":  # another thread may get the request's handle before the tracer knows that this one is complete
        after = "sched_yield(); "
    if short == "Start":
        add = "start(*%s); " % arguments[0]
    if short == "Startall":
        add = "for (int i = 0; i < %s; i++) start(%s[i]); " % (arguments[0], arguments[1])
    print("static long count_%s;\nint %s(%s) { int own_result; %sif (!inside++) __atomic_add_fetch(&count_%s, 1, 5);\n"
          "  own_result = P%s(%s); inside--; %sreturn own_result; }"
          % (short, name, parameters, add, short, name, ", ".join(arguments), after))
print("int MPI_Init(int *a, char ***b) { int r; inside++; r = PMPI_Init(a, b); inside--; return r; }")
print("int MPI_Init_thread(int *a, char ***b, int c, int *d) "
      "{ int r; inside++; r = PMPI_Init_thread(a, b, c, d); inside--; return r; }")
print("int MPI_Finalize(void) { char path[600]; int rank; FILE *to; PMPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
      "  snprintf(path, sizeof path, \"%s.%d\", getenv(\"COUNTER\"), rank); to = fopen(path, \"w\");\n"
      "  fprintf(to, \"sent %ld\\nnowhere %ld\\nbytes %ld\\n\", sent, nowhere, bytes);")
for name in names:
    print("  if (count_%s) fprintf(to, \"%s %%ld\\n\", count_%s);" % (name[4:], name, name[4:]))
print("  fclose(to); inside++; return PMPI_Finalize(); }")
