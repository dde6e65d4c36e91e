import { describe, expect, it } from "vitest";
import { DatabaseError } from "~/db/call-failure.server";
import type { Credential, Values } from "~/db/database.server";
import { ContractError } from "~/wire/errors";
import { createTestDatabase, openDatabase } from "../setup/database";

const t = await createTestDatabase();
const ada = await t.createUser();
const demo = await t.createUser({ demo: true });

const optional = Array.from({ length: 6 }, (_, number) => `p_${number}`);

// Made before the first call, because the Data API reads the schema once.
await t.sql.query(`
  create function operations.echo(p_document jsonb, p_text text default 'unset', p_number int default 0) returns json
  language sql as $$ select json_build_object('document', p_document, 'text', p_text, 'number', p_number, 'role', current_user) $$;
  create function operations.raise(p_code text, p_message text, p_detail text default null) returns json language plpgsql as $$
  begin raise exception using errcode = p_code, message = p_message, detail = coalesce(p_detail, ''); end $$;
  create function operations.whose() returns json language sql as $$ select json_build_object('user', auth.uid(), 'role', current_user) $$;
  create function operations.mine() returns json language sql as $$ select json_build_object('user', auth.uid(), 'role', current_user) $$;
  create function operations.refuse_me() returns json language plpgsql as $$
  begin raise exception using errcode = 'PT409', message = 'Not now', detail = '{"blockers": ["a"]}'; end $$;
  create table public.ranks (n int primary key check (n < 10), parent int references public.ranks);
  create function operations.rank(p_n int, p_parent int default null) returns json language plpgsql as $$
  begin insert into public.ranks values (p_n, p_parent); return 'null'::json; end $$;
  grant execute on function operations.echo, operations.raise, operations.rank, operations.whose to service_role;
  create function operations.parts(p_text text, p_number int default 0, p_document jsonb default '{}', p_list json default '[]',
    p_yes boolean default false, p_day date default null) returns json stable language sql as $$
    select json_build_object('text', p_text, 'number', p_number, 'document', p_document, 'list', p_list, 'yes', p_yes, 'day', p_day) $$;
  create function operations.many(${optional.map((name) => `${name} int default 0`).join()}) returns json stable language sql as $$
    select json_build_object('sum', ${optional.join("+")}, 'kept', (select count(*) from pg_prepared_statements)) $$;
  grant execute on function operations.mine, operations.refuse_me, operations.parts, operations.many to authenticated;
  grant all on public.ranks to service_role;
`);

const transports = (["direct", "session", "http"] as const).map((name) => ({
  name,
  database: openDatabase(t.supabase, name),
}));

async function outcome(call: Promise<string>): Promise<unknown> {
  try {
    return { answer: JSON.parse(await call) };
  } catch (error) {
    if (error instanceof ContractError) {
      const { status, message, issues, retryAfter, detail } = error;
      return { status, message, issues, retryAfter, detail };
    }
    return error instanceof DatabaseError ? { sqlState: error.sqlState } : { error: String(error) };
  }
}

const document = { a: [1, 2.5, "ü \" ' \\ 😀"], b: { c: null, d: true }, e: "" };

/** An operation as someone; without it, one of the service itself. */
const as = (credential: Credential, operation: string) => ({ credential, operation });
const asAda = (operation: string) => as({ user_id: ada.id }, operation);

/** A refusal in words of ours; `without` is what the database said. */
const refused = (status: number, without?: string) => {
  return { status, message: without === undefined ? expect.any(String) : expect.not.stringContaining(without) };
};
const unknownOperation = { status: 404, message: expect.stringMatching(/^There is no operation \w+\.$/) };

const calls: [string, string | ReturnType<typeof as>, Values, unknown][] = [
  [
    "documents and texts as they are",
    "echo",
    { p_document: document, p_text: "it's 10% \\ '" },
    { answer: { document, text: "it's 10% \\ '", number: 0, role: "service_role" } },
  ],
  [
    "arrays and numbers",
    "echo",
    { p_document: [1, { x: [] }], p_number: 7 },
    { answer: { document: [1, { x: [] }], text: "unset", number: 7, role: "service_role" } },
  ],
  [
    "texts that look like SQL or like parameters",
    "echo",
    { p_document: { a: "'); drop table x; --" }, p_text: "$1::text, \\' || ''" },
    {
      answer: { document: { a: "'); drop table x; --" }, text: "$1::text, \\' || ''", number: 0, role: "service_role" },
    },
  ],
  ["a text that cannot be stored", "echo", { p_document: {}, p_text: "a\0b" }, refused(422)],
  [
    "null as null",
    "echo",
    { p_document: {}, p_text: null },
    { answer: { document: {}, text: null, number: 0, role: "service_role" } },
  ],
  ["a user's operation", asAda("mine"), {}, { answer: { user: ada.id, role: "authenticated" } }],
  ["a refusal with details", asAda("refuse_me"), {}, { status: 409, message: "Not now", detail: { blockers: ["a"] } }],
  ["a demo account that writes", as({ user_id: demo.id }, "refuse_me"), {}, refused(403)],
  ["an unknown credential", as({ token_hash: "00" }, "mine"), {}, refused(401)],
  [
    "values of every kind for a user's operation",
    asAda("parts"),
    {
      p_text: "it's 10% \\ '); $1",
      p_number: -7,
      p_document: document,
      p_list: [1, "x"],
      p_yes: true,
      p_day: "2026-02-28",
    },
    { answer: { text: "it's 10% \\ '); $1", number: -7, document, list: [1, "x"], yes: true, day: "2026-02-28" } },
  ],
  [
    "null and what is left out, of a user's operation",
    asAda("parts"),
    { p_text: null, p_document: null, p_yes: undefined },
    { answer: { text: null, number: 0, document: null, list: [], yes: false, day: null } },
  ],
  ["a text that cannot be stored, of a user's operation", asAda("parts"), { p_text: "a\0b" }, refused(422)],
  [
    "a value of the wrong form, of a user's operation",
    asAda("parts"),
    { p_text: "", p_number: "many" },
    refused(422, "many"),
  ],
  ["an operation that does not exist", asAda("no_such_operation"), {}, unknownOperation],
  ["a function that is no operation", asAda("format_type"), {}, unknownOperation],
  [
    "an argument that an operation has not",
    asAda("mine"),
    { p_other: 1 },
    { status: 404, message: "The operation mine does not take the arguments p_other." },
  ],
  ["an unknown credential before all that is wrong with the call", as({ token_hash: "00" }, "parts"), {}, refused(401)],
  [
    "a limit",
    "raise",
    { p_code: "PT429", p_message: "Slowly", p_detail: '{"retry_after": 12}' },
    { status: 429, message: "Slowly", retryAfter: 12 },
  ],
  [
    "issues",
    "raise",
    { p_code: "PT422", p_message: "Wrong", p_detail: '{"issues": [{"path": "title", "message": "is empty"}]}' },
    { status: 422, message: "Wrong", issues: [{ path: "title", message: "is empty" }] },
  ],
  ["a check", "rank", { p_n: 11 }, refused(422, "rank")],
  ["a missing reference", "rank", { p_n: 1, p_parent: 9 }, refused(422, "fkey")],
  ["a value of the wrong form", "raise", { p_code: "22P02", p_message: "secret inside" }, refused(422, "secret")],
  ["a missing right", "raise", { p_code: "42501", p_message: "permission denied for table x" }, refused(403, "table")],
  ["a time-out", "raise", { p_code: "57014", p_message: "canceling statement" }, refused(503, "statement")],
  ["too many connections", "raise", { p_code: "53300", p_message: "sorry" }, refused(503)],
  ["a fault of ours", "raise", { p_code: "XX000", p_message: "internal" }, { sqlState: "XX000" }],
  ["an operation of the service that does not exist", "no_such_operation", {}, unknownOperation],
  ["a user's operation without a user", "mine", {}, unknownOperation],
  ["an operation of the service as a user", asAda("echo"), {}, unknownOperation],
  [
    "a parameter that does not exist",
    "echo",
    { p_document: {}, p_other: 1 },
    { status: 404, message: "The operation echo does not take the arguments p_other." },
  ],
];

describe.each(transports)("over the $name transport", ({ database }) => {
  it.each(calls)("Each transport gives a call the same result: %s", async (_title, asked, values, expected) => {
    const call =
      typeof asked === "string"
        ? database.call(asked, values)
        : database.callAs(asked.credential, asked.operation, values);
    expect(await outcome(call)).toEqual(expected);
  });

  it("A user with any form of id that Postgres takes can make calls", async () => {
    const id = "cf682b73-be1a-fad4-7d0f-32559ac34627";
    await t.query`insert into auth.users (id, email) values (${id}, 'old@example.com') on conflict do nothing`;
    const answer = JSON.parse(await database.callAs({ user_id: id }, "mine", {}));
    expect(answer).toEqual({ user: id, role: "authenticated" });
  });

  it("A user's call leaves no user behind on the connection", async () => {
    await database.callAs({ user_id: ada.id }, "mine", {});
    const answer = JSON.parse(await database.call("whose", {}));
    expect(answer).toEqual({ user: null, role: "service_role" });
  });

  it("A connection keeps few prepared statements, no matter which parameters the calls name", async () => {
    for (let way = 1; way < 2 ** optional.length; way += 1) {
      const named = optional.filter((_, place) => way & (1 << place));
      const values = Object.fromEntries(named.map((name) => [name, 1]));
      const answer = await database.callAs({ user_id: ada.id }, "many", values);
      const { sum, kept } = JSON.parse(answer);
      expect(sum).toBe(named.length);
      expect(kept).toBeLessThanOrEqual(3);
    }
  });

  it("A transport continues after refusals among many new calls at once", async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `text ${index}`);
    const answers = await Promise.all(
      texts.map(async (text, index) => {
        if (index % 4 === 0) await outcome(database.callAs({ user_id: ada.id }, "refuse_me", {}));
        return JSON.parse(await database.call("echo", { p_text: text, p_document: {} })).text;
      }),
    );
    expect(answers).toEqual(texts);
  });
});
