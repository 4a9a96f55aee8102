/* OTF2, a plug-in of bench/write.c: Enter and Leave of regions, one location for each thread. */
#define _POSIX_C_SOURCE 200809L
#include "write.h"

#include <dirent.h>
#include <otf2/OTF2_Pthread_Locks.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "build/bench/otf2"

/* Longer slices than for others, as each begins with memory that is new to the process. */
enum { TO_FILE = 1, TSC = 2, SLICE = 4 * BENCH_SLICE };

static OTF2_Archive *archive;
static OTF2_EvtWriter *writers[BENCH_THREADS];
static int used;

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void)final;
    return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush_callbacks = {flush, NULL};

/* Empties and removes a folder of files; returns the number of bytes in files of events. */
static int64_t sweep(const char *folder)
{
    char path[512];
    struct dirent *entry;
    struct stat s;
    int64_t bytes = 0;
    DIR *dir = opendir(folder);
    while (dir && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stat(path, &s) == 0 && S_ISDIR(s.st_mode)) {
            bytes += sweep(path);
        } else {
            bytes += strstr(path, ".evt") ? (int64_t)s.st_size : 0;
            unlink(path);
        }
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
    return bytes;
}

static int begin(const bench_writer *writer, int threads)
{
    sweep(FOLDER);
    archive = OTF2_Archive_Open(FOLDER, "write", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                                OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
                                writer->setup & TO_FILE ? OTF2_SUBSTRATE_POSIX : OTF2_SUBSTRATE_NONE,
                                OTF2_COMPRESSION_NONE);
    if (!archive || OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_SetSerialCollectiveCallbacks(archive) != OTF2_SUCCESS ||
        OTF2_Pthread_Archive_SetLockingCallbacks(archive, NULL) != OTF2_SUCCESS ||
        OTF2_Archive_OpenEvtFiles(archive) != OTF2_SUCCESS)
        return 0;
    for (used = 0; used < threads; used++)
        if (!(writers[used] = OTF2_Archive_GetEvtWriter(archive, (OTF2_LocationRef)used)))
            return 0;
    return 1;
}

static void run(int thread, uint32_t events)
{
    OTF2_EvtWriter *w = writers[thread];
    uint32_t i;
    for (i = 0; i < events; bench_step(&i)) {
        OTF2_EvtWriter_Enter(w, NULL, bench_clock(), bench_region(i));
        OTF2_EvtWriter_Leave(w, NULL, bench_clock(), bench_region(i));
    }
    OTF2_Archive_CloseEvtWriter(archive, w);
}

#if BENCH_TSC
static void run_tsc(int thread, uint32_t events)
{
    OTF2_EvtWriter *w = writers[thread];
    uint32_t i;
    for (i = 0; i < events; bench_step(&i)) {
        OTF2_EvtWriter_Enter(w, NULL, bench_tsc(), bench_region(i));
        OTF2_EvtWriter_Leave(w, NULL, bench_tsc(), bench_region(i));
    }
    OTF2_Archive_CloseEvtWriter(archive, w);
}
#endif

/* Two integers with each region that is entered. */
static void run_ints(int thread, uint32_t events)
{
    OTF2_EvtWriter *w = writers[thread];
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    uint32_t i;
    for (i = 0; i < events; bench_step(&i)) {
        OTF2_AttributeList_AddInt64(list, 0, i);
        OTF2_AttributeList_AddInt64(list, 1, bench_region(i));
        OTF2_EvtWriter_Enter(w, list, bench_clock(), bench_region(i)); /* empties the list */
        OTF2_EvtWriter_Leave(w, NULL, bench_clock(), bench_region(i));
    }
    OTF2_AttributeList_Delete(list);
    OTF2_Archive_CloseEvtWriter(archive, w);
}

static int64_t end(void)
{
    int failed = OTF2_Archive_CloseEvtFiles(archive) != OTF2_SUCCESS || OTF2_Archive_Close(archive) != OTF2_SUCCESS;
    int64_t bytes = sweep(FOLDER);
    return failed ? -1 : bytes;
}

const bench_writer peers[] = {
    {"otf2/null", SLICE, 0, begin, run, end},
    {"otf2/file", SLICE, TO_FILE, begin, run, end},
    {"otf2-ints/null", SLICE, 0, begin, run_ints, end},
    {"otf2-ints/file", SLICE, TO_FILE, begin, run_ints, end},
#if BENCH_TSC
    {"otf2-tsc/null", SLICE, TSC, begin, run_tsc, end},
    {"otf2-tsc/file", SLICE, TSC | TO_FILE, begin, run_tsc, end},
#endif
    {0}};
