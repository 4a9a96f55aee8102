/* The output: tables, CSV or JSON. */
#include "efficiency.h"

#include <math.h>
#include <stdio.h>

int efficiency_format;

static size_t slices;   /* printed so far */
static int has_printed; /* anything */

/* ---- efficiencies: each is NAN where it is not known */

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

typedef struct efficiencies {
    double parallel, balance, communication, serialization, transfer;
} efficiencies;

static efficiencies efficiencies_of(const figures *it)
{
    return (efficiencies){share(it->useful / (double)it->processes, it->runtime),
                          share(it->useful / (double)it->processes, it->most), share(it->most, it->runtime),
                          share(it->most, it->ideal), share(it->ideal, it->runtime)};
}

/* The multiplicative model of hybrid programs: all threads, and what of it is not the processes'. */
static efficiencies hybrid_of(const figures *it)
{
    double mean = it->busy / (double)it->threads;
    return (efficiencies){share(mean, it->runtime), share(mean, it->busy_most), share(it->busy_most, it->runtime),
                          (double)NAN, (double)NAN};
}

static efficiencies threads_of(const efficiencies *hybrid, const efficiencies *processes)
{
    return (efficiencies){share(hybrid->parallel, processes->parallel), share(hybrid->balance, processes->balance),
                          share(hybrid->communication, processes->communication), (double)NAN, (double)NAN};
}

/* The figures of one process, as if it were a section. */
static figures figures_of(row *it, const figures *of)
{
    const row_part *part = &it->parts[0];
    double outside = sum_of(&part->outside), present = sum_of(&part->present), waiting = efficiency_waiting(it, of);
    return (figures){.start = part->start, .end = part->start + present, .runtime = of->runtime, .processes = 1,
                     .useful = outside, .most = of->most, .ideal = part->start - of->start + outside + waiting,
                     .waiting = waiting, .transfer = present - outside - waiting, .calls = part->calls,
                     .messages = part->messages, .bytes = part->bytes};
}

static const section *section_at(size_t number)
{
    return &efficiency.sections.items[number];
}

static pajesim_text phase_name(size_t number)
{
    return section_at(number)->class == ACTIVE_NONE ? text_of("(others)") : active_value(section_at(number)->class);
}

/* Bytes of messages are not known where none has told its size. */
static int has_bytes(const figures *it)
{
    return it->messages == 0 || efficiency.has_bytes;
}

/* ---- CSV: a line for each section, and for each process in the range */

static void put_csv(double number)
{
    text_putc(&stream_output, ',');
    if (!isnan(number) && !isinf(number))
        text_put_number(&stream_output, number);
}

static void put_efficiencies(void (*put)(double), const efficiencies *it)
{
    put(it->parallel);
    put(it->balance);
    put(it->communication);
    put(it->serialization);
    put(it->transfer);
}

static void print_csv(const char *part, pajesim_text name, const figures *it, const efficiencies *e)
{
    efficiencies hybrid = hybrid_of(it), threads = threads_of(&hybrid, e);
    text_printf(&stream_output, "%s,", part);
    text_put_csv(&stream_output, name);
    put_csv(it->start);
    put_csv(it->end);
    text_printf(&stream_output, ",%zu", it->processes);
    put_csv(it->runtime);
    put_csv(it->useful);
    put_csv(it->waiting);
    put_csv(it->transfer);
    put_csv(it->ideal);
    put_efficiencies(put_csv, e);
    text_printf(&stream_output, ",%llu,%llu,", (unsigned long long)it->calls, (unsigned long long)it->messages);
    if (has_bytes(it))
        text_printf(&stream_output, "%llu", (unsigned long long)it->bytes);
    if (it->threads) {
        text_printf(&stream_output, ",%zu", it->threads);
        put_csv(hybrid.parallel);
        put_csv(threads.parallel);
        put_csv(threads.balance);
        put_csv(threads.communication);
    } else {
        text_puts(&stream_output, ",,,,,");
    }
    stream_end_line();
}

/* ---- JSON: the same, by name */

static const char *separator = "";

static void put_member(const char *name, double number)
{
    text_printf(&stream_output, ", \"%s\": ", name);
    if (isnan(number) || isinf(number))
        text_puts(&stream_output, "null");
    else
        text_put_number(&stream_output, number);
}

static void print_json(const char *part, pajesim_text name, const figures *it, const efficiencies *e)
{
    static const char *const names[] = {"parallel_efficiency", "load_balance", "communication_efficiency"};
    efficiencies hybrid = hybrid_of(it), threads = threads_of(&hybrid, e);
    const double numbers[] = {e->parallel, e->balance, e->communication, hybrid.parallel, hybrid.balance,
                              hybrid.communication, threads.parallel, threads.balance, threads.communication};
    static const char *const of[] = {"", "hybrid_", "thread_"};
    text_printf(&stream_output, "%s\n{\"part\": \"%s\", \"name\": ", separator, part);
    separator = ",";
    text_put_json(&stream_output, name);
    put_member("start", it->start);
    put_member("end", it->end);
    put_member("processes", (double)it->processes);
    put_member("runtime", it->runtime);
    put_member("useful", it->useful);
    put_member("waiting", it->waiting);
    put_member("transferring", it->transfer);
    put_member("ideal_runtime", it->ideal);
    for (size_t i = 0; i < (it->threads ? 9 : 3); i++) {
        char member[64];
        snprintf(member, sizeof member, "%s%s", of[i / 3], names[i % 3]);
        put_member(member, numbers[i]);
    }
    put_member("serialization", e->serialization);
    put_member("transfer", e->transfer);
    put_member("calls", (double)it->calls);
    put_member("messages", (double)it->messages);
    put_member("bytes", has_bytes(it) ? (double)it->bytes : (double)NAN);
    if (it->threads)
        put_member("threads", (double)it->threads);
    text_puts(&stream_output, "}");
}

/* ---- tables */

static void put_percent(double part)
{
    if (isnan(part))
        text_printf(&stream_output, " %10s", "-");
    else
        text_printf(&stream_output, " %8.2f %%", part * 100);
}

static void print_measure(const char *name, double part)
{
    text_printf(&stream_output, "%-30s", name);
    put_percent(part);
    stream_end_line();
}

static void print_whole(const figures *it)
{
    efficiencies e = efficiencies_of(it);
    text_printf(&stream_output, "%zu processes from %.15g to %.15g%s", it->processes, it->start, it->end,
                efficiency.has_begun ? efficiency.has_finalized ? ", after MPI_Init and before MPI_Finalize"
                                                                : ", after MPI_Init" : "");
    stream_end_line();
    stream_end_line();
    text_printf(&stream_output, "%-30s %10.6g", "Run time", it->runtime);
    stream_end_line();
    print_measure("Parallel efficiency", e.parallel);
    print_measure("  Load balance", e.balance);
    print_measure("  Communication efficiency", e.communication);
    print_measure("    Serialization", e.serialization);
    print_measure("    Transfer", e.transfer);
    if (it->threads == 0)
        return;
    efficiencies hybrid = hybrid_of(it), threads = threads_of(&hybrid, &e);
    text_printf(&stream_output, "%-30s %10zu", "Threads", it->threads);
    stream_end_line();
    print_measure("Hybrid parallel efficiency", hybrid.parallel);
    print_measure("  of processes (as above)", e.parallel);
    print_measure("  of threads", threads.parallel);
    print_measure("    Load balance", threads.balance);
    print_measure("    Communication efficiency", threads.communication);
}

static void print_process(const row *it, const figures *one, const figures *of)
{
    put_percent(share(one->useful, of->runtime));
    put_percent(share(one->waiting, of->runtime));
    put_percent(share(one->transfer, of->runtime));
    put_percent(share(one->useful, of->most));
    text_printf(&stream_output, " %8llu %8llu", (unsigned long long)one->calls, (unsigned long long)one->messages);
    if (has_bytes(one))
        text_printf(&stream_output, " %12llu  ", (unsigned long long)one->bytes);
    else
        text_printf(&stream_output, " %12s  ", "-");
    text_put_printable(&stream_output, active_label(it->name));
    stream_end_line();
}

static void print_row(const figures *it, size_t number)
{
    efficiencies e = efficiencies_of(it);
    if (number == 0)
        text_printf(&stream_output, " %16.15g", it->start);
    put_efficiencies(put_percent, &e);
    text_printf(&stream_output, " %10.6g", it->runtime);
    if (number > 0) {
        text_printf(&stream_output, " %8llu %9zu  ", (unsigned long long)it->stretches, it->processes);
        text_put_printable(&stream_output, phase_name(number));
    }
    stream_end_line();
}

static const char *const table_head = "  Parallel       Load    Communi- Serializa-   Transfer   Run time";

/* ---- all */

void efficiency_print_begin(void)
{
    if (efficiency_format == EFFICIENCY_JSON)
        text_puts(&stream_output, "[");
    if (efficiency_format != EFFICIENCY_CSV)
        return;
    text_puts(&stream_output, "Part,Name,Start,End,Processes,Runtime,Useful,Waiting,Transferring,IdealRuntime,"
                              "ParallelEfficiency,LoadBalance,CommunicationEfficiency,Serialization,Transfer,Calls,"
                              "Messages,Bytes,Threads,HybridEfficiency,ThreadEfficiency,ThreadBalance,"
                              "ThreadCommunication");
    stream_end_line();
}

static void print_one(const char *part, pajesim_text name, const figures *it, const efficiencies *e)
{
    if (efficiency_format == EFFICIENCY_CSV)
        print_csv(part, name, it, e);
    else
        print_json(part, name, it, e);
}

static void print_section(const char *part, pajesim_text name, const figures *it)
{
    efficiencies e = efficiencies_of(it);
    print_one(part, name, it, &e);
}

static void print_processes(const figures *of)
{
    if (efficiency_format == EFFICIENCY_TABLE) {
        stream_end_line();
        text_puts(&stream_output, "    Useful    Waiting   Transfer       Load");
        text_puts(&stream_output, "    Calls Messages        Bytes  Process");
        stream_end_line();
    }
    for (size_t i = 0; i < efficiency.rows.count; i++) {
        row *it = &efficiency.rows.items[i];
        if (!it->parts || !efficiency_is_process(it, 0))
            continue;
        figures one = figures_of(it, of);
        efficiencies e = {share(one.useful, of->runtime), share(one.useful, of->most), NAN, NAN, NAN};
        if (efficiency_format == EFFICIENCY_TABLE)
            print_process(it, &one, of);
        else
            print_one("process", active_label(it->name), &one, &e);
    }
}

void efficiency_print_range(void)
{
    figures it;
    if (!efficiency_figures(0, &it))
        return;
    if (efficiency_format != EFFICIENCY_TABLE) {
        print_section(efficiency.slice > 0 ? "slice" : "whole", text_of(""), &it);
        print_processes(&it);
    } else if (efficiency.slice > 0) {
        if (slices++ == 0) {
            text_printf(&stream_output, " %16s %s\n %16s %s", "", table_head, "Slice",
                        "efficiency    balance     cation       tion                     ");
            stream_end_line();
        }
        print_row(&it, 0);
    } else {
        print_whole(&it);
        print_processes(&it);
    }
    has_printed = 1;
}

void efficiency_print_end(void)
{
    figures it;
    size_t printed = 0;
    for (size_t i = 1; i < efficiency.sections.count; i++) {
        if (!efficiency_figures(i, &it))
            continue;
        it.start = it.end = NAN;
        if (efficiency_format != EFFICIENCY_TABLE) {
            print_section("phase", phase_name(i), &it);
            continue;
        }
        if (printed++ == 0) {
            text_printf(&stream_output, "\n%s\n%s", table_head,
                        "efficiency    balance     cation       tion                          Times Processes  Phase");
            stream_end_line();
        }
        print_row(&it, i);
    }
    if (efficiency_format == EFFICIENCY_JSON) {
        text_puts(&stream_output, "\n]");
        stream_end_line();
    } else if (efficiency_format == EFFICIENCY_TABLE && !has_printed) {
        text_puts(&stream_output, "nothing communicates (--states chooses what does)");
        stream_end_line();
    }
}
