/* Cortex-M0: the BBC micro:bit, an nRF51. */
#define CLOCK 16000000u
#include "cortex-m.h"

#define STARTRX REGISTER(0x40002000)
#define STARTTX REGISTER(0x40002008)
#define RXDRDY REGISTER(0x40002108)
#define TXDRDY REGISTER(0x4000211c)
#define ENABLE REGISTER(0x40002500)
#define RXD REGISTER(0x40002518)
#define TXD REGISTER(0x4000251c)
#define BAUDRATE REGISTER(0x40002524)

static int sending;

static void start_uart(void)
{
    ENABLE = 4;
    BAUDRATE = 0x01d7e000; /* 115200 */
    STARTRX = 1;
    STARTTX = 1;
}

size_t board_send(const char *bytes, size_t size)
{
    if (!size || (sending && !TXDRDY)) /* its buffer of one byte is full */
        return 0;
    TXDRDY = 0;
    TXD = (uint8_t)*bytes;
    sending = 1;
    return 1;
}

int board_asked(void)
{
    if (!RXDRDY)
        return 0;
    RXDRDY = 0;
    (void)RXD;
    return 1;
}
