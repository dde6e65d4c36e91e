import { z } from "zod";
import { toLiteral } from "./literal.server";

/** What is needed to call a function by the names of its parameters. */
export interface FunctionSignature {
  /** Parameter name to type, for example `p_arguments` to `jsonb`. */
  parameters: Map<string, string>;
  /** Parameters without a default. */
  required: string[];
  returns: "json" | "nothing" | "scalar" | "rows";
}

const signatureRows = z.array(
  z.object({
    names: z.array(z.string()).nullable(),
    types: z.array(z.string()),
    defaults: z.number(),
    returns: z.string(),
    is_set: z.boolean(),
  }),
);
type SignatureRow = z.output<typeof signatureRows>[number];

const query = (functionName: string) => `
  select coalesce(json_agg(found), '[]')::text
    from (
      select p.proargnames as names,
             array(select format_type(t, null) from unnest(p.proargtypes::oid[]) with ordinality as a(t, n) order by n) as types,
             p.pronargdefaults as defaults,
             format_type(p.prorettype, null) as returns,
             p.proretset as is_set
        from pg_catalog.pg_proc p
       where p.pronamespace = 'public'::regnamespace and p.proname = ${toLiteral(functionName)}
       order by p.oid
    ) as found`;

/** Looks a function of schema public up; the first one that has all the given parameters and needs no other. */
export async function findSignature(
  ask: (text: string) => Promise<string>,
  functionName: string,
  names: string[],
): Promise<FunctionSignature | undefined> {
  return signatureRows
    .parse(JSON.parse(await ask(query(functionName))))
    .map(toSignature)
    .find(
      ({ parameters, required }) =>
        names.every((name) => parameters.has(name)) &&
        required.every((name) => names.includes(name)),
    );
}

function toSignature(row: SignatureRow): FunctionSignature {
  const parameters = new Map(row.types.map((type, index) => [row.names?.[index] ?? "", type]));
  const required = [...parameters.keys()].slice(0, row.types.length - row.defaults);
  return { parameters, required, returns: kindOf(row) };
}

function kindOf(row: SignatureRow): FunctionSignature["returns"] {
  if (row.is_set) return "rows";
  if (row.returns === "void") return "nothing";
  return row.returns === "json" || row.returns === "jsonb" ? "json" : "scalar";
}
