/* Which addresses are nobody else's business; see net_is_private. */
#include <netinet/in.h>
#include <string.h>

#include "net.h"

/* Networks of IPv4: this one, private, shared, loopback, link-local, protocol and test networks, multicast and beyond. */
static bool is_private4(uint32_t a)
{
    static const struct {
        uint32_t net;
        int bits;
    } NETS[] = {{0x00000000, 8},  {0x0a000000, 8},  {0x64400000, 10}, {0x7f000000, 8},  {0xa9fe0000, 16}, {0xac100000, 12},
                {0xc0000000, 24}, {0xc0000200, 24}, {0xc0a80000, 16}, {0xc6120000, 15}, {0xc6336400, 24}, {0xcb007100, 24},
                {0xe0000000, 3}};

    for (size_t i = 0; i < sizeof NETS / sizeof *NETS; i++)
        if ((a ^ NETS[i].net) >> (32 - NETS[i].bits) == 0)
            return true;
    return false;
}

static uint32_t four_bytes(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Public is only 2000::/3, less what wraps an IPv4 address or is for documents. */
static bool is_private6(const uint8_t a[16])
{
    static const uint8_t MAPPED[12] = {[10] = 0xff, [11] = 0xff}, NAT64[12] = {0x00, 0x64, 0xff, 0x9b};

    if (memcmp(a, MAPPED, sizeof MAPPED) == 0 || memcmp(a, NAT64, sizeof NAT64) == 0)
        return is_private4(four_bytes(a + 12));
    if (a[0] == 0x20 && a[1] == 0x02) /* 6to4 */
        return is_private4(four_bytes(a + 2));
    if (a[0] == 0x20 && a[1] == 0x01 && (a[2] < 2 || (a[2] == 0x0d && a[3] == 0xb8)))
        return true;
    return (a[0] & 0xe0) != 0x20;
}

bool net_is_private(const struct sockaddr *a)
{
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;

    if (a->sa_family == AF_INET) {
        memcpy(&v4, a, sizeof v4);
        return is_private4(ntohl(v4.sin_addr.s_addr));
    }
    if (a->sa_family != AF_INET6)
        return true;
    memcpy(&v6, a, sizeof v6);
    return is_private6(v6.sin6_addr.s6_addr);
}
