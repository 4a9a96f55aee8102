/* A plugin of qemu-user: prints on standard error how many instructions run from the first call of a function
 * `measured_...` to the end of the process.  Debian has no header for plugins, so what this needs is declared here. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t plugin_id;
typedef struct qemu_plugin_tb translated_block;
typedef void translated_call(plugin_id id, translated_block *block);
typedef void executed_call(unsigned cpu, void *data);
typedef void exit_call(plugin_id id, void *data);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translated_call *call);
void qemu_plugin_register_vcpu_tb_exec_cb(translated_block *block, executed_call *call, int flags, void *data);
void qemu_plugin_register_atexit_cb(plugin_id id, exit_call *call, void *data);
size_t qemu_plugin_tb_n_insns(const translated_block *block);
void *qemu_plugin_tb_get_insn(const translated_block *block, size_t index);
const char *qemu_plugin_insn_symbol(const void *instruction);
int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

int qemu_plugin_version = 1;

static uint64_t count;
static int measuring;

static void begin(unsigned cpu, void *data)
{
    (void)cpu, (void)data;
    measuring = 1;
}

static void add(unsigned cpu, void *data)
{
    (void)cpu;
    if (measuring)
        count += (uintptr_t)data;
}

static void translated(plugin_id id, translated_block *block)
{
    const char *name = qemu_plugin_insn_symbol(qemu_plugin_tb_get_insn(block, 0));
    (void)id;
    if (name && strncmp(name, "measured_", 9) == 0)
        qemu_plugin_register_vcpu_tb_exec_cb(block, begin, 0, NULL);
    qemu_plugin_register_vcpu_tb_exec_cb(block, add, 0, (void *)(uintptr_t)qemu_plugin_tb_n_insns(block));
}

static void report(plugin_id id, void *data)
{
    (void)id, (void)data;
    fprintf(stderr, "%" PRIu64 "\n", count);
}

int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv)
{
    (void)info, (void)argc, (void)argv;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, report, NULL);
    return 0;
}
