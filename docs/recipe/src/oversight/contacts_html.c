/* Contacts: the list with a form for a new one, and one of them. */
#include "contact.h"
#include "limit.h"
#include "oversight_html.h"
#include "parts_html.h"
#include "thing.h"

static err contacts_page(struct ctx *c, struct page_call *p)
{
    struct page page;

    TRY(thing_list(c, &CONTACT, &(struct thing_page){LIMIT_PAGE_DEFAULT, page_query(p, "cursor")}, &page));
    put_things(c, p->model, "contacts", &CONTACT, &page);
    put_listing(c, p, "/admin/contacts", &page);
    put_form(c, p, "fields", &CONTACT, COL_CREATE, NULL);
    json_set_bool(c->arena, p->model, "form_open", p->is_again);
    return page_show(p, "contacts");
}

static err contact_page(struct ctx *c, struct page_call *p)
{
    struct contact contact;
    struct uuid id;

    TRY(page_id(c, p, 0, &id));
    TRY(thing_get(c, &CONTACT, id, &contact));
    put_thing(c, json_set(c->arena, p->model, "contact", json_obj(c->arena)), &CONTACT, &contact);
    put_form(c, p, "fields", &CONTACT, COL_PATCH, &contact);
    return page_show(p, "contact");
}

const struct page_row contacts_pages[] = {
    {.method = "GET", .path = "/admin/contacts", .name = "page.contacts", .op = "contact.list", .perm = PERM_ACCOUNT_READ,
     .run = contacts_page, .nav = {.label = "Contacts", .icon = "users", .key = "c"}},
    {.method = "POST", .path = "/admin/contacts", .name = "page.contact.create", .perm = PERM_ACCOUNT_MANAGE,
     .does = "contact.create", .said = "Contact created.", .go = "/admin/contacts/:made", .again = contacts_page},
    {.method = "GET", .path = "/admin/contacts/:id", .name = "page.contact", .op = "contact.get", .perm = PERM_ACCOUNT_READ,
     .run = contact_page},
    {.method = "POST", .path = "/admin/contacts/:id", .name = "page.contact.update", .perm = PERM_ACCOUNT_MANAGE,
     .does = "contact.update", .said = "Saved.", .go = "/admin/contacts/:id", .again = contact_page},
    {.method = "POST", .path = "/admin/contacts/:id/delete", .name = "page.contact.delete", .perm = PERM_ACCOUNT_MANAGE,
     .does = "contact.delete", .said = "Contact deleted.", .go = "/admin/contacts", .again = contact_page},
    {0},
};
