import type { Actor } from "~/db/rpc.server";
import { resolveReference, search } from "~/nouns/search/operations.server";
import { ContractError } from "~/wire/errors";
import type { SearchResult } from "~/wire/search/contract";

type Found = SearchResult["items"][number];

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

/** Patterns that tell an id's kind from its address, most specific first. */
const patterns: readonly (readonly [RegExp, Found["kind"]])[] = [
  [new RegExp(`panel=(?:task:|task%3A)(${uuid})`, "i"), "task"],
  [new RegExp(`panel=(?:story:|story%3A)(${uuid})`, "i"), "story"],
  [new RegExp(`panel=(?:pbi:|pbi%3A)(${uuid})`, "i"), "pbi"],
  [new RegExp(`/tasks/(${uuid})`, "i"), "task"],
  [new RegExp(`/stories/(${uuid})`, "i"), "story"],
  [new RegExp(`/ideas/(${uuid})`, "i"), "idea"],
];

const aloneKinds = ["task", "story", "pbi", "idea"] as const;

/** Finds the item of a pasted address or id. Null if it is neither, or the caller cannot access the item. */
export async function findPasted(actor: Actor, query: string): Promise<Found | null> {
  for (const [pattern, kind] of patterns) {
    const id = pattern.exec(query)?.[1]?.toLowerCase();
    if (id) return find(actor, kind, id);
  }
  const alone = new RegExp(`^${uuid}$`, "i").test(query) ? query.toLowerCase() : null;
  if (alone === null) return null;
  const found = await Promise.all(aloneKinds.map((kind) => find(actor, kind, alone)));
  return found.find((one) => one !== null) ?? null;
}

async function find(actor: Actor, kind: Found["kind"], id: string): Promise<Found | null> {
  try {
    const { code, product_id } = await resolveReference(actor, { kind, reference: id });
    const { items } = await search(actor, { query: code, kind, product_id, limit: 50 });
    return items.find((item) => item.id === id) ?? null;
  } catch (error) {
    if (error instanceof ContractError && [403, 404].includes(error.status)) return null;
    throw error;
  }
}

export interface SearchHit {
  kind: string;
  code: string;
  title: string;
  product: string | null;
  status: string | null;
  to: string;
  /** Whether the query is its code or address. */
  isNamed: boolean;
}

export type SearchAnswer = { query: string; results: SearchHit[] };
