import { z } from "zod";
import { idSchema, requiredText, text } from "../text";

export const viewPages = ["backlog", "board"] as const;
export type ViewPage = (typeof viewPages)[number];

/** Query parameters of each page that determine how it looks. */
export const lookParameters = {
  backlog: ["q", "status", "sprint", "done", "hide"],
  board: ["q", "group", "as", "dense", "hide", "fold"],
} as const satisfies Record<ViewPage, readonly string[]>;

const part = text(200).optional();
/** Longest value of `fold`, which lists lanes. */
const longest = 1000;

/** How a page looks, from its query parameters. Absent ones have their defaults. */
export const lookSchema = z.strictObject({
  q: part.describe("The filter"),
  status: part.describe("Backlog: one status"),
  sprint: part.describe("Backlog: the code of a sprint, or none"),
  done: part.describe("Backlog: 1 shows done stories"),
  group: part.describe("Board: story, assignee, worker or priority"),
  as: part.describe("Board: list"),
  dense: part.describe("Board: 1"),
  hide: part.describe("What rows or cards leave out, with commas"),
  fold: text(longest).optional().describe("Board: lanes that are folded, with commas"),
});
export type Look = z.infer<typeof lookSchema>;

export const savedViewSchema = z.object({
  id: z.string(),
  product_id: z.string(),
  page: z.enum(viewPages),
  name: z.string(),
  look: lookSchema,
  /** Whether all members of the product see it; otherwise only the caller. */
  shared: z.boolean(),
  may_change: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type SavedView = z.infer<typeof savedViewSchema>;

export const savedViewListSchema = z.object({ views: z.array(savedViewSchema) });

export const viewNameSchema = requiredText(60).refine((name) => !/\p{Cc}/u.test(name), {
  message: "Must be one line.",
});

export const savedViewsQuery = z.object({ page: z.enum(viewPages).optional() });
export const listSavedViewsInput = savedViewsQuery.extend({ product_id: idSchema });

export const createSavedViewBody = z.object({
  page: z.enum(viewPages),
  name: viewNameSchema,
  look: lookSchema,
  shared: z.boolean().optional().describe("For all members; without it for the caller alone"),
});

export const createSavedViewInput = createSavedViewBody.extend({ product_id: idSchema });

export const updateSavedViewBody = z.object({ name: viewNameSchema, look: lookSchema, shared: z.boolean() }).partial();

export const updateSavedViewInput = updateSavedViewBody.extend({ view_id: idSchema });

export const savedViewIdInput = z.object({ view_id: idSchema });

/** Reads the look of a page from its query parameters. */
export function lookOf(page: ViewPage, address: URLSearchParams): Look {
  const look: Look = {};
  for (const name of lookParameters[page]) {
    const said = address
      .getAll(name)
      .filter(Boolean)
      .join(",")
      .trim()
      .slice(0, name === "fold" ? longest : 200);
    if (said !== "") look[name] = said;
  }
  return look;
}
