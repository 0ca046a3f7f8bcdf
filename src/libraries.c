/* Each library says its version in its own way; see libraries.h. */
#include "libraries.h"

#include <curl/curl.h>
#include <hiredis/hiredis.h>
#include <mysql.h>
#include <sodium.h>
#include <utf8proc.h>
#include <yajl/yajl_version.h>

const struct library *libraries_list(struct arena *a)
{
    const curl_version_info_data *curl = curl_version_info(CURLVERSION_NOW);
    int yajl = yajl_version();
    const struct library list[] = {
        {"libmariadb", mysql_get_client_info()},
        {"hiredis", arena_printf(a, "%d.%d.%d", HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH)},
        {"libcurl", curl->version},
        {"TLS of libcurl", curl->ssl_version},
        {"libsodium", sodium_version_string()},
        {"yajl", arena_printf(a, "%d.%d.%d", yajl / 10000, yajl / 100 % 100, yajl % 100)},
        {"utf8proc", utf8proc_version()},
        {NULL, NULL},
    };

    return arena_memdup(a, list, sizeof list);
}
