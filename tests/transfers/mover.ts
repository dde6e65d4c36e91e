import { expect } from "vitest";
import { type ImportReport, importReportSchema } from "~/wire/transfers/contract";
import type { TestApp } from "../setup/app";
import type { TestDatabase } from "../setup/database";
import type { TestUser } from "../setup/world";

export type Part = string | Uint8Array<ArrayBuffer>;
let count = 0;
export const newProduct = () => {
  count += 1;
  return { name: `Moved ${count}`, code: `MOVED-${count}` };
};

/** `/api/products/import` (api.products.import), as someone. */
export async function mover(t: TestDatabase, app: TestApp, user: TestUser) {
  const headers = await t.bearerOf(user);
  const send = (fields: Record<string, string>, ...files: [string, Part][]) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    for (const [name, part] of files) body.append("file", new File([part], name));
    return app.request("/api/products/import", { method: "POST", headers, body });
  };
  const read = async (answer: Response, status: number): Promise<ImportReport> => {
    const text = await answer.text();
    expect([answer.status, text]).toEqual([status, expect.any(String)]);
    return importReportSchema.parse(JSON.parse(text));
  };
  return {
    send,
    preview: async (fields: Record<string, string>, ...files: [string, Part][]) =>
      read(await send({ ...fields, preview: "true" }, ...files), 200),
    move: async (fields: Record<string, string>, ...files: [string, Part][]) => read(await send(fields, ...files), 201),
  };
}

export async function stock(t: TestDatabase, productId: string | null) {
  const rows = await t.query`
    select b.title as pbi, s.code, s.title, s.status, s.priority, u.username as assignee, s.description, s.created_at,
      (select array_agg(l.name order by lower(l.name)) from labels l where l.id = any (s.label_ids)) as labels,
      (select array_agg(k.title || ' ' || k.status || coalesce(' ' || k.estimated_minutes, '') order by k.sort_order)
       from tasks k where k.story_id = s.id) as tasks
    from stories s join pbis b on b.id = s.pbi_id left join users u on u.id = s.assignee_id
    where s.product_id = ${productId} order by s.title`;
  return rows;
}

/** Who waits for whom in a product, by titles; a task says that it is one. */
export async function waitsIn(t: TestDatabase, productId: string | null): Promise<string[]> {
  const rows = await t.query`
    select a.title || ' > ' || b.title as edge from story_dependencies d
      join stories a on a.id = d.blocked_id join stories b on b.id = d.blocker_id where d.product_id = ${productId}
    union all
    select 'task ' || a.title || ' > ' || b.title from task_dependencies d
      join tasks a on a.id = d.blocked_id join tasks b on b.id = d.blocker_id where d.product_id = ${productId}
    order by 1`;
  return rows.map(({ edge }) => edge);
}
