/* The end of the offsets of a file in blocks, where they have 32 bits, as on machines that change no 64 bits
 * atomically: a block that would go beyond is refused, and none begins at 0 again.
 * usage: offsets FILE   (compiled for such a machine; the file has 4 GiB, nearly all of them a hole) */
#define _FILE_OFFSET_BITS 64
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include "tests/lib/expect.h"

int main(int argc, char **argv)
{
    static pajewrite contexts[3];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_blocks file;
    pajewrite_block blocks[3];
    char bytes[10] = "";
    const int is_narrow = sizeof(pajewrite__offset) == 4;
    int descriptor, i;
    if (argc != 2)
        return 2;
    EXPECT(is_narrow && pajewrite_blocks_open(&file, argv[1]) == PAJEWRITE_OK);
    config.next_buffer = pajewrite_block_next_buffer;
    for (i = 0; i < 3 && is_narrow; i++) {
        config.next_buffer_data = &blocks[i];
        if (i == 1)
            file.end = (pajewrite__offset)0 - 8 * (pajewrite__offset)file.page;
        pajewrite_block_init(&blocks[i], &file, i == 1 ? 9 * file.page : 0);
        EXPECT(pajewrite_init(&contexts[i], NULL, 0, &config) == (i == 1 ? PAJEWRITE_E_SINK : PAJEWRITE_OK));
        pajewrite_header(&contexts[i]);
    }
    EXPECT(file.end == (pajewrite__offset)0 - 7 * (pajewrite__offset)file.page);
    for (i = 0; i < 3 && is_narrow; i++)
        EXPECT(pajewrite_finish(&contexts[i]) == (i == 1 ? PAJEWRITE_E_SINK : PAJEWRITE_OK));
    descriptor = open(argv[1], O_RDONLY);
    EXPECT(read(descriptor, bytes, 9) == 9 && !strcmp(bytes, "%EventDef"));
    close(descriptor);
    unlink(argv[1]);
    report("write/", "blocks: the end of 32-bit offsets");
    return failed != 0;
}
