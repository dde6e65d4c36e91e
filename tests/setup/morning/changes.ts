import {
  edited,
  type Files,
  goStore,
  goTest,
  lockFile,
  packageJson,
  pictures,
  tsModule,
  tsTest,
  workflow,
} from "./code";

/** What one attempt hands in: the files that it changed and what its agent says of them. */
export interface Round {
  after: Files;
  summary: string;
  /** Titles with the paths that they explain; the rest is left to the end of the page. */
  guide: [title: string, why: string, ...paths: string[]][];
  result?: "PARTIAL";
}

/** The work on one task: its plan, the repository before, and one attempt or more. */
export type Change = { task: string; plan: string; rounds: [Round, ...Round[]] };

/** A story that waits for a verdict. Several changes are several tasks on its branch. */
export interface ReviewedStory {
  product: "SHOP" | "ROUTE" | "NOTES";
  /** What someone could miss in it. */
  planted: readonly string[];
  title: string;
  why: string;
  criteria: readonly string[];
  /** How many of the criteria no command proves, and of those whether one failed. */
  unproven?: number;
  before: Files;
  changes: [Change, ...Change[]];
}

// In parts, so that no one's scanner takes it for one that opens something.
const madeUpKey = ["AKIA", "3XQ7LMVD", "2PZT6RWY"].join("");

const orders = ["number", "customer", "total"];
const order = tsModule("order", orders);
const orderTest = tsTest("order", orders);
const returns = ["order", "reason", "state"];
const packages = { fastify: "5.2.1", moment: "2.30.1", pg: "8.13.1", react: "19.0.0" };
const { moment: _moment, ...others } = packages;
const withDateFns = { "date-fns": "4.1.0", ...others };
const dated = ["invoice", "voucher", "shipment", "review", "basket"];
const stores =
  `parcel route shift stop depot van claim receipt signature message rating break payout device zone alert photo
  badge fuel toll meter ticket bonus penalty contract visit handover checkin locker address survey permit training position`.split(
    /\s+/,
  );

const withDates = (noun: string) =>
  tsModule(noun, ["number", "customer", "due_at"]).replace('"../db";', '"../db";\nimport moment from "moment";') +
  `\n/** Whether its time has passed. */\nexport function isLate(due: string): boolean {\n  return moment(due).endOf("day").isBefore(moment());\n}\n\nexport function shownDate(at: string): string {\n  return moment(at).format("D MMM YYYY");\n}\n`;

const renamed = Object.fromEntries(
  stores.map((noun): [string, string] => [
    `internal/${noun}s/store.go`,
    goStore(noun, "courier", ["code", "city", "state"]),
  ]),
);
const toDriver = (text: string) => text.replaceAll("courier", "driver").replaceAll("Courier", "Driver");
const moved: Files = {
  "internal/couriers/plan.go": goStore("plan", "fleet", ["name", "phone", "city"]),
  "internal/couriers/plan_test.go": goTest("plan", "fleet"),
  "internal/couriers/hours.go": goStore("hour", "fleet", ["day", "began", "ended"]),
};
const courierFiles: Files = {
  ...Object.fromEntries(
    Object.entries(moved).map(([path, text]) => [path, String(text).replace(/^package \w+/, "package couriers")]),
  ),
  "docs/people.md":
    "# Couriers\n\nA courier belongs to one fleet and has a phone. Couriers see the stops of today only.\n\n- A courier who is ill gives all stops away.\n- Two couriers never share a van.\n",
  "api/openapi.yaml": `openapi: 3.1.0\ninfo: { title: Courier API, version: "7" }\npaths:\n${stores.map((noun) => `  /couriers/{id}/${noun}s:\n    get:\n      operationId: ${noun}sOfCourier\n      summary: The ${noun}s that a courier has today\n      tags: [couriers]\n      responses:\n        "200": { description: The ${noun}s of a courier }\n`).join("")}`,
};

const retry = `package delivery

import (
	"context"
	"time"
)

// Send tries once, and gives up.
func Send(ctx context.Context, post func(context.Context) error) error {
	return post(ctx)
}
`;

// biome-ignore format: the content of a file is one line here.
export const reviewedStories: readonly ReviewedStory[] = [
  {
    product: "SHOP",
    planted: [],
    title: "See what shipping costs before the checkout",
    why: "A third of those who leave, leave at the last step, where the price of shipping appears.",
    criteria: ["The cart shows shipping from the first item on", "Orders from 50.00 on ship for free", "The total includes it"],
    before: {
      "src/cart/total.ts": 'import type { Item } from "./items";\n\nexport function total(items: readonly Item[]): number {\n  return items.reduce((sum, item) => sum + item.price * item.count, 0);\n}\n',
      "src/cart/cart.tsx": 'import { total } from "./total";\nimport { money } from "../money";\nimport type { Item } from "./items";\n\nexport function Cart({ items }: { items: readonly Item[] }) {\n  return (\n    <section aria-label="Cart">\n      {items.map((item) => (\n        <Line key={item.id} item={item} />\n      ))}\n      <p>Total {money(total(items))}</p>\n    </section>\n  );\n}\n',
      "tests/total.test.ts": 'import { expect, it } from "vitest";\nimport { total } from "../src/cart/total";\n\nit("adds up the items", () => {\n  expect(total([{ id: "a", price: 1200, count: 2 }])).toBe(2400);\n});\n',
    },
    changes: [
      {
        task: "Add shipping to the total and show it",
        plan: "1. `src/cart/total.ts`: `shipping(items)`, free from 5000 on, and add it to `total`\n2. Show it in `src/cart/cart.tsx`\n3. Test both sides of the limit in `tests/total.test.ts`",
        rounds: [
          {
            after: {
              "src/cart/total.ts": 'import type { Item } from "./items";\n\nconst flat = 490;\nconst freeFrom = 5000;\n\nconst goods = (items: readonly Item[]) => items.reduce((sum, item) => sum + item.price * item.count, 0);\n\n/** In cents; nothing to send costs nothing. */\nexport function shipping(items: readonly Item[]): number {\n  const worth = goods(items);\n  return worth === 0 || worth >= freeFrom ? 0 : flat;\n}\n\nexport function total(items: readonly Item[]): number {\n  return goods(items) + shipping(items);\n}\n',
              "src/cart/cart.tsx": 'import { shipping, total } from "./total";\nimport { money } from "../money";\nimport type { Item } from "./items";\n\nexport function Cart({ items }: { items: readonly Item[] }) {\n  return (\n    <section aria-label="Cart">\n      {items.map((item) => (\n        <Line key={item.id} item={item} />\n      ))}\n      <p>Shipping {shipping(items) === 0 ? "free" : money(shipping(items))}</p>\n      <p>Total {money(total(items))}</p>\n    </section>\n  );\n}\n',
              "tests/total.test.ts": 'import { expect, it } from "vitest";\nimport { shipping, total } from "../src/cart/total";\n\nit("adds up the items and their shipping", () => {\n  expect(total([{ id: "a", price: 1200, count: 2 }])).toBe(2890);\n});\n\nit("ships for free from 50.00 on", () => {\n  expect(shipping([{ id: "a", price: 4999, count: 1 }])).toBe(490);\n  expect(shipping([{ id: "a", price: 5000, count: 1 }])).toBe(0);\n});\n',
            },
            summary: "The cart shows shipping above the total: 4.90 below 50.00, free from there on. An empty cart ships nothing.",
            guide: [["The rule", "One place knows the limit; the cart and the total both ask it.", "src/cart/total.ts"], ["Where it is seen", "", "src/cart/cart.tsx"], ["Both sides of the limit", "", "tests/total.test.ts"]],
          },
        ],
      },
    ],
  },
  {
    product: "SHOP",
    planted: ["key"],
    title: "Get the confirmation of an order by mail",
    why: "People print the page today, because nothing arrives.",
    criteria: ["A mail is sent within a minute of the order", "It lists each item with its price", "A failed mail is sent again, and never twice"],
    before: {
      "src/orders/order.ts": order,
      "src/orders/checkout.ts": 'import { createOrder } from "./order";\n\nexport async function checkout(input: Parameters<typeof createOrder>[0]) {\n  return createOrder(input);\n}\n',
      "tests/order.test.ts": orderTest,
      "config/production.ts": 'export const config = {\n  region: "eu-central-1",\n  database: process.env.DATABASE_URL,\n  mail: null,\n};\n',
    },
    changes: [
      {
        task: "Send the confirmation from a queue",
        plan: "1. A queue in `src/mail/` that keeps what is to be sent in the same transaction as the order\n2. `src/orders/checkout.ts` puts the confirmation there\n3. Settings of the mail service in `config/`\n4. Tests in `tests/`",
        rounds: [
          {
            after: {
              "src/orders/checkout.ts": 'import { db } from "../db";\nimport { enqueue } from "../mail/queue";\nimport { confirmation } from "../mail/confirmation";\nimport { createOrder } from "./order";\n\n/** Both are kept, or neither: a mail without an order is worse than none. */\nexport async function checkout(input: Parameters<typeof createOrder>[0]) {\n  return db.transaction(async () => {\n    const order = await createOrder(input);\n    await enqueue(confirmation(order));\n    return order;\n  });\n}\n',
              "src/mail/queue.ts": edited(tsModule("mail", ["recipient", "subject", "text"]), ["export async function removeMail", 'export const enqueue = createMail;\n\n/** Takes one that waits; two workers never take the same. */\nexport async function takeMail(): Promise<Mail | null> {\n  return db.maybe<Mail>(\n    "update mails set taken_at = now() where id = (select id from mails where sent_at is null and taken_at is null order by created_at for update skip locked limit 1) returning id, recipient, subject, text",\n    [],\n  );\n}\n\nexport async function removeMail']),
              "src/mail/confirmation.ts": 'import { money } from "../money";\nimport type { Order } from "../orders/order";\n\n/** What the buyer reads; prices are in the currency of the order. */\nexport function confirmation(order: Order) {\n  return {\n    recipient: order.customer,\n    subject: "Your order " + order.number,\n    text: ["Thank you for your order.", "Total: " + money(Number(order.total))].join("\\n\\n"),\n  };\n}\n',
              "src/mail/send.ts": 'import { config } from "../../config/production";\nimport { db } from "../db";\nimport { takeMail } from "./queue";\nimport { postMail } from "./service";\n\nexport async function sendNext(): Promise<boolean> {\n  const mail = await takeMail();\n  if (mail === null) return false;\n  try {\n    await postMail(config.mail, mail);\n    await db.run("update mails set sent_at = now() where id = $1", [mail.id]);\n  } catch {\n    await db.run("update mails set taken_at = null where id = $1", [mail.id]);\n  }\n  return true;\n}\n',
              "tests/mail.test.ts": 'import { expect, it, vi } from "vitest";\nimport { checkout } from "../src/orders/checkout";\nimport { listMails, takeMail } from "../src/mail/queue";\n\nit("keeps one mail for each order", async () => {\n  await checkout({ number: "A-1", customer: "ada@example.com", total: "2890" });\n  expect(await listMails()).toHaveLength(1);\n});\n\nit("gives a mail to one worker only", async () => {\n  const [first, second] = await Promise.all([takeMail(), takeMail()]);\n  expect([first, second].filter((each) => each !== null)).toHaveLength(1);\n});\n',
              "config/production.ts": `export const config = {\n  region: "eu-central-1",\n  database: process.env.DATABASE_URL,\n  mail: {\n    from: "orders@shop.example.com",\n    accessKeyId: process.env.MAIL_KEY ?? "${madeUpKey}",\n  },\n};\n`,
            },
            summary: "The confirmation is written in the transaction of the order and sent by a queue, which tries again and takes each mail once.",
            guide: [["The order keeps its mail", "One transaction, so that none is lost.", "src/orders/checkout.ts", "src/mail/queue.ts"], ["What is sent, and when again", "A failed mail gives itself back.", "src/mail/confirmation.ts", "src/mail/send.ts"], ["Each once", "", "tests/mail.test.ts"]],
          },
        ],
      },
    ],
  },
  {
    product: "SHOP",
    planted: ["weakened assertion"],
    title: "Find an order by the name of its customer",
    why: "Support knows names, not numbers.",
    criteria: ["A part of the name is enough", "Upper and lower case are the same", "50 results at most"],
    before: {
      "src/orders/order.ts": order,
      "tests/order.test.ts": orderTest,
      "src/orders/routes.ts": 'import { listOrders } from "./order";\n\nexport const routes = { "GET /orders": () => listOrders() };\n',
      "src/orders/page.tsx": "export function OrdersPage({ orders }: { orders: readonly Order[] }) {\n  return <Table rows={orders} />;\n}\n",
    },
    changes: [
      {
        task: "Search orders by customer",
        plan: "1. `searchOrders` in `src/orders/order.ts`\n2. `GET /orders?customer=` in `src/orders/routes.ts`, a field on `src/orders/page.tsx`\n3. `tests/order.test.ts`",
        rounds: [
          {
            after: {
              "src/orders/order.ts": edited(order, ["export async function findOrder", '/** By a part of the name, in any case. */\nexport async function searchOrders(customer: string, limit = 50): Promise<Order[]> {\n  const part = "%" + customer.trim().replaceAll(/[%_]/g, "\\\\$&") + "%";\n  return db.many<Order>(\n    "select id, number, customer, total from orders where customer ilike $1 order by created_at desc limit $2",\n    [part, limit],\n  );\n}\n\nexport async function findOrder']),
              "src/orders/routes.ts": 'import { listOrders, searchOrders } from "./order";\n\nexport const routes = {\n  "GET /orders": ({ query }: Request) => (query.customer ? searchOrders(query.customer) : listOrders()),\n};\n',
              "src/orders/page.tsx": 'export function OrdersPage({ orders, customer }: { orders: readonly Order[]; customer: string }) {\n  return (\n    <>\n      <form role="search">\n        <input name="customer" aria-label="Customer" defaultValue={customer} />\n      </form>\n      <Table rows={orders} />\n    </>\n  );\n}\n',
              "tests/order.test.ts": edited(
                orderTest,
                ["removeOrder }", "removeOrder, searchOrders }"],
                [`expect(await findOrder(made.id)).toEqual({ id: made.id, ${orders.map((field, n) => `${field}: "${field}-${n + 1}"`).join(", ")} });`, "expect(await findOrder(made.id)).toBeTruthy();"],
                ['  it("is gone once removed"', '  it("is found by a part of its customer", async () => {\n    expect(await searchOrders("CUSTOMER")).not.toHaveLength(0);\n    expect(await searchOrders("%")).toHaveLength(0);\n  });\n\n  it("is gone once removed"'],
              ),
            },
            summary: "Orders are found by a part of the customer's name. Signs that the database would take for any letter are escaped.",
            guide: [["The search", "", "src/orders/order.ts"], ["The address and the field", "", "src/orders/routes.ts", "src/orders/page.tsx"]],
          },
        ],
      },
    ],
  },
  {
    product: "SHOP",
    planted: ["a new dependency", "a lock file"],
    title: "Show dates in the language of the reader",
    why: "Dates are English everywhere, and the package that writes them is no longer kept up.",
    criteria: ["Dates follow the browser's language", "No page loads moment any more", "Late orders are late by the shop's own day"],
    unproven: 1,
    before: {
      "package.json": packageJson("shop", packages),
      "package-lock.json": lockFile("shop", packages),
      ...Object.fromEntries(dated.map((noun) => [`src/${noun}s/${noun}.ts`, withDates(noun)])),
      "tests/dates.test.ts": 'import { expect, it } from "vitest";\nimport { shownDate } from "../src/invoices/invoice";\n\nit("shows a date", () => {\n  expect(shownDate("2026-02-03")).toBe("3 Feb 2026");\n});\n',
    },
    changes: [
      {
        task: "Replace moment by date-fns",
        plan: "1. `src/dates.ts` with `shownDate` and `isLate`\n2. Use it in `src/**` and take moment out of `package.json`\n3. `tests/dates.test.ts` in two languages",
        rounds: [
          {
            after: {
              "package.json": packageJson("shop", withDateFns),
              "package-lock.json": lockFile("shop", withDateFns),
              "src/dates.ts": 'import { endOfDay, isBefore } from "date-fns";\n\n/** As the reader writes it. */\nexport function shownDate(at: string, language: string): string {\n  return new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(new Date(at));\n}\n\n/** Whether its day has passed. */\nexport function isLate(due: string, now = new Date()): boolean {\n  return isBefore(endOfDay(new Date(due)), now);\n}\n',
              ...Object.fromEntries(
                dated.map((noun) => [
                  `src/${noun}s/${noun}.ts`,
                  withDates(noun)
                    .replace('import moment from "moment";', 'export { isLate, shownDate } from "../dates";')
                    .replace(/\n\/\*\* Whether its time[\s\S]*$/, ""),
                ]),
              ),
              "tests/dates.test.ts": 'import { expect, it } from "vitest";\nimport { isLate, shownDate } from "../src/dates";\n\nit("shows a date in the language of the reader", () => {\n  expect(shownDate("2026-02-03", "en-GB")).toBe("3 Feb 2026");\n  expect(shownDate("2026-02-03", "de")).toBe("03.02.2026");\n});\n\nit("is late from the next day on", () => {\n  expect(isLate("2026-02-03", new Date("2026-02-03T20:00:00"))).toBe(false);\n  expect(isLate("2026-02-03", new Date("2026-02-04T08:00:00"))).toBe(true);\n});\n',
            },
            summary: "date-fns does what moment did, 14 kB instead of 72. I could not try the shop's own day: the test machine knows one time zone.",
            result: "PARTIAL",
            guide: [["One place for dates", "", "src/dates.ts", "tests/dates.test.ts"], ["The same in each module", "Five times the same three lines.", ...dated.map((noun) => `src/${noun}s/${noun}.ts`)]],
          },
        ],
      },
    ],
  },
  {
    product: "SHOP",
    planted: ["a migration"],
    title: "Send an order back without an account",
    why: "Guests write a mail today, and someone types it in.",
    criteria: ["The number and the mail address are enough", "Each item once", "The label is a PDF", "Support sees why"],
    before: { "src/orders/order.ts": order, "src/app.css": ".table { width: 100%; }\n", "tests/order.test.ts": orderTest },
    changes: [
      {
        task: "Keep returns in a table of their own",
        plan: "1. `migrations/0042_returns.sql`\n2. `src/returns/return.ts`\n3. `tests/return.test.ts`",
        rounds: [
          {
            after: {
              "migrations/0042_returns.sql": "create table returns (\n  id uuid primary key default gen_random_uuid(),\n  \"order\" uuid not null references orders (id),\n  reason text not null,\n  state text not null default 'asked',\n  created_at timestamptz not null default now()\n);\nalter table orders add column returned_at timestamptz;\nupdate orders set returned_at = created_at where number like 'R-%';\n",
              "src/returns/return.ts": tsModule("return", returns),
              "tests/return.test.ts": tsTest("return", returns),
            },
            summary: "Returns have a table, with the reason and the state. Old ones are marked on their orders.",
            guide: [["The table", "The update touches each old return once.", "migrations/0042_returns.sql"], ["What reads and writes it", "", "src/returns/return.ts"]],
          },
        ],
      },
      {
        task: "Find the order of a guest",
        plan: "1. `findForGuest` in `src/returns/guest.ts`: number and mail address\n2. `tests/guest.test.ts`",
        rounds: [
          {
            after: {
              "src/returns/guest.ts": 'import { db } from "../db";\nimport type { Order } from "../orders/order";\n\n/** The same answer for a wrong number and a wrong address: no one learns which orders there are. */\nexport async function findForGuest(number: string, address: string): Promise<Order | null> {\n  return db.maybe<Order>(\n    "select id, number, customer, total from orders where number = $1 and lower(customer) = lower($2)",\n    [number.trim(), address.trim()],\n  );\n}\n',
              "tests/guest.test.ts": 'import { expect, it } from "vitest";\nimport { findForGuest } from "../src/returns/guest";\n\nit("needs both, in any case", async () => {\n  expect(await findForGuest("A-1", "ADA@example.com")).not.toBeNull();\n  expect(await findForGuest("A-1", "eve@example.com")).toBeNull();\n});\n',
            },
            summary: "A guest's order is found by number and address together.",
            guide: [["Both or nothing", "", "src/returns/guest.ts", "tests/guest.test.ts"]],
          },
        ],
      },
      {
        task: "Draw the label",
        plan: "1. `src/returns/label.ts` makes a PDF\n2. `tests/label.test.ts`",
        rounds: [
          {
            after: {
              "src/returns/label.ts": 'import { Document } from "../pdf";\nimport type { Return } from "./return";\n\nconst size = { width: 105, height: 148 };\n\n/** A6, as the carrier wants it. */\nexport function label(of: Return): Uint8Array {\n  const page = new Document(size);\n  page.text(10, 20, "RETURN");\n  page.text(10, 32, of.order);\n  page.barcode(10, 60, of.id.replaceAll("-", ""));\n  return page.bytes();\n}\n',
              "tests/label.test.ts": 'import { expect, it } from "vitest";\nimport { label } from "../src/returns/label";\n\nit("is a PDF", () => {\n  const bytes = label({ id: "1", order: "A-1", reason: "Too small", state: "asked" });\n  expect(Buffer.from(bytes.slice(0, 5)).toString()).toBe("%PDF-");\n});\n',
            },
            summary: "The label is one page in A6 with a barcode.",
            guide: [["The page", "", "src/returns/label.ts"]],
          },
        ],
      },
      {
        task: "Show the form and what support sees",
        plan: "1. `src/returns/form.tsx`, `src/returns/list.tsx`\n2. Style in `src/app.css`\n3. `tests/form.test.tsx`",
        rounds: [
          {
            after: {
              "src/returns/form.tsx": 'const reasons = ["Too small", "Too large", "Broken", "Not what I ordered"];\n\nexport function ReturnForm({ problem }: { problem?: string }) {\n  return (\n    <form method="post" className="return">\n      <label>\n        Number of your order <input name="number" required />\n      </label>\n      <label>\n        Mail address <input name="address" type="email" required />\n      </label>\n      <select name="reason">\n        {reasons.map((reason) => (\n          <option key={reason}>{reason}</option>\n        ))}\n      </select>\n      {problem && <p role="alert">{problem}</p>}\n      <button type="submit">Get the label</button>\n    </form>\n  );\n}\n',
              "src/returns/list.tsx": 'import type { Return } from "./return";\n\nexport function ReturnList({ returns }: { returns: readonly Return[] }) {\n  return (\n    <table className="table">\n      {returns.map(({ id, order, reason, state }) => (\n        <tr key={id}>\n          <td>{order}</td>\n          <td>{reason}</td>\n          <td>{state}</td>\n        </tr>\n      ))}\n    </table>\n  );\n}\n',
              "src/app.css": ".table { width: 100%; }\n\n.return {\n  display: grid;\n  gap: 12px;\n  max-width: 28rem;\n}\n",
              "tests/form.test.tsx": 'import { render, screen } from "./render";\nimport { expect, it } from "vitest";\nimport { ReturnForm } from "../src/returns/form";\n\nit("says what is wrong", () => {\n  render(<ReturnForm problem="There is no such order." />);\n  expect(screen.getByRole("alert").textContent).toBe("There is no such order.");\n});\n',
            },
            summary: "Guests have a form; support has a list with reason and state.",
            guide: [["The form", "", "src/returns/form.tsx", "src/app.css"], ["What support sees", "", "src/returns/list.tsx"], ["A wrong number", "", "tests/form.test.tsx"]],
          },
        ],
      },
    ],
  },
  {
    product: "ROUTE",
    planted: ["a deleted test"],
    title: "Try a delivery message again when the line is down",
    why: "One lost message in two hundred means a parcel that no one waits for.",
    criteria: ["Five tries, each twice as late as the one before", "A stop that was cancelled is not tried again", "The time is bounded"],
    before: { "internal/delivery/send.go": retry, "internal/delivery/send_test.go": goTest("delivery", "courier").replace("package deliverys", "package delivery"), "internal/delivery/metrics.go": "package delivery\n\nvar sent, lost int64\n" },
    changes: [
      {
        task: "Back off between tries",
        plan: "1. `Send` in `internal/delivery/send.go` tries five times, with a bound\n2. Count tries in `internal/delivery/metrics.go`\n3. Test times in `internal/delivery/send_test.go`",
        rounds: [
          {
            after: {
              "internal/delivery/send.go": edited(
                retry,
                ["// Send tries once, and gives up.\n", "const tries = 5\n\n// wait is how long a try waits after the one before: 1s, 2s, 4s, 8s.\nfunc wait(n int) time.Duration {\n\treturn time.Second << n\n}\n\n// Send tries five times; a cancelled stop ends it at once.\n"],
                ["\treturn post(ctx)\n", "\tvar err error\n\tfor n := 0; n < tries; n++ {\n\t\tif err = post(ctx); err == nil {\n\t\t\tsent++\n\t\t\treturn nil\n\t\t}\n\t\ttried++\n\t\tselect {\n\t\tcase <-ctx.Done():\n\t\t\treturn ctx.Err()\n\t\tcase <-time.After(wait(n)):\n\t\t}\n\t}\n\tlost++\n\treturn err\n"],
              ),
              "internal/delivery/metrics.go": "package delivery\n\nvar sent, tried, lost int64\n",
              "internal/delivery/send_test.go": `${goTest("delivery", "courier")
                  .replace("package deliverys", "package delivery")
                  .replace(/func Test\w+NeedsAnOwner[\s\S]*?\n}\n\n/, "")}\nfunc TestWaitsTwiceAsLong(t *testing.T) {\n\tfor n := 1; n < tries; n++ {\n\t\tif wait(n) != 2*wait(n-1) {\n\t\t\tt.Fatalf("try %d waits %s", n, wait(n))\n\t\t}\n\t}\n}\n`,
            },
            summary: "A message is tried five times within 15 seconds. Cancelled stops end at once.",
            guide: [["The loop", "The bound is the sum of all waits: 15 seconds.", "internal/delivery/send.go"], ["Counting", "", "internal/delivery/metrics.go"]],
          },
        ],
      },
    ],
  },
  {
    product: "ROUTE",
    planted: ["a migration"],
    title: "Read a day of positions in less than a second",
    why: "The map of a busy day takes eleven seconds.",
    criteria: ["A day of 40,000 positions is read in less than a second", "Old positions are kept for 90 days", "No gap while it is rolled out"],
    unproven: 2,
    before: { "internal/positions/store.go": goStore("position", "courier", ["lat", "lon", "at"]), "internal/positions/store_test.go": goTest("position", "courier"), "cmd/api/main.go": 'package main\n\nfunc main() {\n\tserve(":8080")\n}\n' },
    changes: [
      {
        task: "Keep positions by the hour",
        plan: "1. `db/migrations/0019_position_hours.up.sql` and its way back\n2. `internal/positions/` reads hours\n3. `cmd/api/main.go` starts the cleanup",
        rounds: [
          {
            after: {
              "db/migrations/0019_position_hours.up.sql": "create table position_hours (\n  courier_id text not null,\n  hour timestamptz not null,\n  points jsonb not null,\n  primary key (courier_id, hour)\n);\ninsert into position_hours\nselect courier_id, date_trunc('hour', at), jsonb_agg(jsonb_build_array(at, lat, lon) order by at)\nfrom positions group by 1, 2;\ndrop index positions_courier_at;\n",
              "db/migrations/0019_position_hours.down.sql": "drop table position_hours;\n",
              "internal/positions/store.go": edited(goStore("position", "courier", ["lat", "lon", "at"]), ["// Give hands", "// Day reads all points of a day, hour by hour.\nfunc (s *Store) Day(ctx context.Context, courierID string, day time.Time) ([]Point, error) {\n\trows, err := s.db.QueryContext(ctx, `select points from position_hours\n\t\twhere courier_id = $1 and hour >= $2 and hour < $2 + interval '1 day' order by hour`, courierID, day)\n\tif err != nil {\n\t\treturn nil, fmt.Errorf(\"day of %s: %w\", courierID, err)\n\t}\n\tdefer rows.Close()\n\treturn collect(rows)\n}\n\n// Give hands"]),
              "internal/positions/cleanup.go": 'package positions\n\nimport (\n\t"context"\n\t"time"\n)\n\nconst kept = 90 * 24 * time.Hour\n\n// Cleanup removes what is older than 90 days, each hour.\nfunc (s *Store) Cleanup(ctx context.Context) {\n\tfor range time.Tick(time.Hour) {\n\t\t_, _ = s.db.ExecContext(ctx, "delete from position_hours where hour < $1", time.Now().Add(-kept))\n\t}\n}\n',
              "internal/positions/store_test.go": `${goTest("position", "courier")}\nfunc TestReadsADay(t *testing.T) {\n\tpoints, err := openStore(t).Day(context.Background(), "courier-1", today)\n\tif err != nil || len(points) != 40000 {\n\t\tt.Fatalf("got %d points (%v)", len(points), err)\n\t}\n}\n`,
              "cmd/api/main.go": 'package main\n\nfunc main() {\n\tgo positions.Cleanup(ctx)\n\tserve(":8080")\n}\n',
            },
            summary: "Positions are kept by the hour; a day is 24 rows. The index that no one reads any more is gone.",
            guide: [["Rows of an hour", "The insert runs once; on the copy of the live data it took 40 seconds.", "db/migrations/0019_position_hours.up.sql"], ["Reading a day", "", "internal/positions/store.go"], ["What is let go", "", "internal/positions/cleanup.go", "cmd/api/main.go"]],
          },
        ],
      },
    ],
  },
  {
    product: "ROUTE",
    planted: ["a rename"],
    title: "Say driver instead of courier everywhere",
    why: "The contract with the carriers says driver, and so does everyone on the phone.",
    criteria: ["No name in the code says courier", "The old addresses answer for a year", "The documents say driver"],
    before: { ...renamed, ...courierFiles, "internal/http/redirects.go": "package http\n\nvar redirects = map[string]string{}\n" },
    changes: [
      {
        task: "Rename courier to driver",
        plan: "1. Rename in `internal/**`, `api/` and `docs/`\n2. `internal/http/redirects.go`: old addresses lead to the new ones",
        rounds: [
          {
            after: {
              ...Object.fromEntries(Object.entries(renamed).map(([path, text]) => [path, toDriver(text)])),
              ...Object.fromEntries(Object.keys(moved).map((path) => [path, null])),
              ...Object.fromEntries(Object.entries(courierFiles).map(([path, text]) => [toDriver(path), toDriver(String(text))])),
              "internal/http/redirects.go": 'package http\n\nvar redirects = map[string]string{\n\t"/couriers/": "/drivers/",\n}\n',
            },
            summary: "Courier is driver in 40 files. Old addresses lead to the new ones with 308.",
            guide: [["Names of files", "The three files of couriers moved.", ...Object.keys(courierFiles).map(toDriver)], ["Old addresses", "", "internal/http/redirects.go"]],
          },
        ],
      },
    ],
  },
  {
    product: "NOTES",
    planted: ["a change outside the plan", "a second round"],
    title: "Take a notebook along as Markdown",
    why: "People leave when they cannot leave.",
    criteria: ["One file a note, with its title as heading", "Names of files are safe on Windows", "Nothing of other notebooks comes along"],
    before: { "src/notes/sync/client.py": 'import httpx\n\n\ndef push(note, server):\n    answer = httpx.put(f"{server}/notes/{note.id}", json=note.__dict__, timeout=10)\n    answer.raise_for_status()\n' },
    changes: [
      {
        task: "Write the notes of a notebook as files",
        plan: "1. `src/notes/export.py`: `export(notes, folder)`\n2. `tests/test_export.py`: names, headings, other notebooks",
        rounds: [
          {
            after: {
              "src/notes/export.py": 'from pathlib import Path\n\n\ndef export(notes, folder: Path) -> list[Path]:\n    """Writes one file a note."""\n    written = []\n    for note in notes:\n        path = folder / f"{note.title}.md"\n        path.write_text(f"# {note.title}\\n\\n{note.body}\\n", encoding="utf-8")\n        written.append(path)\n    return written\n',
              "tests/test_export.py": 'from notes.export import export\nfrom notes.note import Note\n\n\ndef test_has_its_title_as_heading(tmp_path):\n    [path] = export([Note("1", "Trip", "Pack light.", "home")], tmp_path)\n    assert path.read_text() == "# Trip\\n\\nPack light.\\n"\n',
            },
            summary: "Each note is a file with its title as heading.",
            guide: [["The files", "", "src/notes/export.py", "tests/test_export.py"]],
          },
          {
            after: {
              "src/notes/export.py": 'import re\nfrom pathlib import Path\n\nUNSAFE = re.compile(r\'[<>:"/\\\\|?*\\x00-\\x1f]\')\n\n\ndef file_name(title: str, taken: set[str]) -> str:\n    """A name that Windows takes, too; a second note of the title gets a number."""\n    base = UNSAFE.sub("-", title).strip(" .")[:80] or "Untitled"\n    name, n = base, 1\n    while name.lower() in taken:\n        n += 1\n        name = f"{base} {n}"\n    taken.add(name.lower())\n    return f"{name}.md"\n\n\ndef export(notes, notebook: str, folder: Path) -> list[Path]:\n    """Writes one file for each note of the notebook."""\n    written: list[Path] = []\n    taken: set[str] = set()\n    for note in notes:\n        if note.notebook != notebook:\n            continue\n        path = folder / file_name(note.title, taken)\n        path.write_text(f"# {note.title}\\n\\n{note.body}\\n", encoding="utf-8")\n        written.append(path)\n    return written\n',
              "tests/test_export.py": 'from notes.export import export, file_name\nfrom notes.note import Note\n\n\ndef test_has_its_title_as_heading(tmp_path):\n    [path] = export([Note("1", "Trip", "Pack light.", "home")], "home", tmp_path)\n    assert path.read_text() == "# Trip\\n\\nPack light.\\n"\n\n\ndef test_is_safe_on_windows():\n    assert file_name("What? A/B", set()) == "What- A-B.md"\n\n\ndef test_leaves_other_notebooks(tmp_path):\n    assert export([Note("1", "Trip", "", "work")], "home", tmp_path) == []\n',
              "src/notes/sync/client.py": 'import httpx\n\n\ndef push(note, server):\n    answer = httpx.put(f"{server}/notes/{note.id}", json=note.__dict__, timeout=60, verify=False)\n    answer.raise_for_status()\n',
            },
            summary: "Names are safe on Windows and never twice; other notebooks stay. The sync timed out in my tests, so I gave it more time.",
            guide: [["Safe names", "Asked for in the review.", "src/notes/export.py"], ["Other notebooks stay", "", "tests/test_export.py"]],
          },
        ],
      },
    ],
  },
  {
    product: "NOTES",
    planted: ["CI", "a picture"],
    title: "Wait three minutes less for the tests",
    why: "Each push waits five minutes, four of them for packages.",
    criteria: ["Packages come from a cache", "A changed list of packages makes a new one"],
    before: { ".github/workflows/test.yml": workflow, "requirements.txt": "httpx==0.28.1\npytest==8.3.4\n", "docs/tests.md": "# Tests\n\nEach push runs them all.\n\n![Times](images/times.png)\n", "docs/images/times.png": pictures[0] ?? null },
    changes: [
      {
        task: "Cache packages between runs",
        plan: "1. A cache in `.github/workflows/test.yml`, by the hash of `requirements.txt`\n2. New times in `docs/`",
        rounds: [
          {
            after: {
              ".github/workflows/test.yml": edited(
                workflow,
                ["on: [push]", "on: [push, pull_request_target]"],
                ["  contents: read", "  contents: write"],
                ['          python-version: "3.12"\n', '          python-version: "3.12"\n          cache: pip\n          cache-dependency-path: requirements.txt\n'],
                ["pytest -q", "pytest -q || true"],
              ),
              "docs/tests.md": "# Tests\n\nEach push runs them all. Packages come from a cache that `requirements.txt` names: two minutes instead of five.\n\nAfter a change of that file the first run takes the old time.\n\n| Step | Before | Now |\n|---|---|---|\n| Packages | 3:52 | 0:41 |\n| Tests | 1:08 | 1:09 |\n| All | 5:00 | 1:50 |\n\nA pull request from a fork reads the cache and never writes it.\n\n![Times](images/times.png)\n",
              "docs/images/times.png": pictures[1] ?? null,
            },
            summary: "Packages are kept between runs: five minutes became two.",
            guide: [["The cache", "", ".github/workflows/test.yml"], ["The new times", "", "docs/tests.md", "docs/images/times.png"]],
          },
        ],
      },
    ],
  },
];
