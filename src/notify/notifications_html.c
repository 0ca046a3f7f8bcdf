/* The page Notifications: what one was told, to be read and marked as read. */
#include "limit.h"
#include "notification.h"
#include "notify_html.h"
#include "parts_html.h"

#define AT "/admin/notifications"

static err notifications_page(struct ctx *c, struct page_call *p)
{
    struct notification_filter f = {.unread = str_eq(page_query(p, "unread"), "true"), .limit = LIMIT_PAGE_DEFAULT,
                                    .cursor = page_query(p, "cursor")};
    struct json *tabs = put_list(c, p->model, "tabs");
    struct page page;

    TRY(notification_list(c, &f, &page));
    put_things(c, p->model, "items", &NOTIFICATION, &page);
    put_listing(c, p, AT, &page);
    json_set_str(c->arena, p->model, "tabs_label", "Notifications");
    add_tab(c, tabs, "All", AT, !f.unread);
    add_tab(c, tabs, "Unread", AT "?unread=true", f.unread);
    return page_show(p, "notifications");
}

const struct page_row notification_pages[] = {
    {.method = "GET", .path = AT, .name = "page.notifications", .op = "notification.list", .perm = PERM_NONE, .run = notifications_page,
     .nav = {.label = "Notifications", .icon = "bell", .count = notification_count}},
    {.method = "POST", .path = AT "/read_all", .name = "page.notifications.read_all", .perm = PERM_NONE, .does = "notification.read_all",
     .said = "All are read.", .go = AT},
    {.method = "POST", .path = AT "/:id/read", .name = "page.notifications.read", .perm = PERM_NONE, .does = "notification.read",
     .said = "Read.", .go = AT},
    {0},
};
