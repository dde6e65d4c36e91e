import { z } from "zod";
import type { ImportDraft } from "~/contract/import";
import { append, take } from "../append";
import { toState } from "../backlog-md/state";
import { timeOf, withComments } from "./clean-text";
import { Draft, type TaskFields } from "./draft";
import { readJson } from "./read-json";

const id = z.string().min(1);

const boardSchema = z.object({
  name: z.string(),
  lists: z.array(z.object({ id, name: z.string(), closed: z.boolean().default(false) })),
  cards: z.array(
    z.object({
      id,
      name: z.string(),
      desc: z.string().default(""),
      closed: z.boolean().default(false),
      idList: id,
      idMembers: z.array(id).default([]),
      labels: z
        .array(z.object({ name: z.string().default(""), color: z.string().nullish() }))
        .default([]),
      dueComplete: z.boolean().nullish(),
    }),
  ),
  members: z.array(z.object({ id, username: z.string() })).default([]),
  checklists: z
    .array(
      z.object({
        idCard: id,
        name: z.string().default(""),
        checkItems: z.array(z.object({ id, name: z.string(), state: z.string() })).default([]),
      }),
    )
    .default([]),
  actions: z
    .array(
      z.object({
        type: z.string(),
        date: z.string().optional(),
        data: z
          .object({ text: z.string().optional(), card: z.object({ id }).optional() })
          .default({}),
        memberCreator: z.object({ username: z.string() }).nullish(),
      }),
    )
    .default([]),
});

/**
 * Reads a Trello board: lists named after a state share one PBI, other lists are one PBI each; cards become stories,
 * checklist items tasks.
 */
export function readTrello(text: string): ImportDraft {
  const board = readJson(text, boardSchema, "the JSON export of a Trello board");
  const draft = new Draft("trello");
  const lists = new Map(board.lists.map((list) => [list.id, list]));
  const people = new Map(board.members.map((member) => [member.id, member.username]));
  const itemsOf = checkItems(board.checklists);
  const comments = new Map<string, string[]>();
  for (const { type, date, data, memberCreator } of board.actions) {
    if (type !== "commentCard" || !data.card || !data.text) continue;
    const said = `**${memberCreator?.username ?? "somebody"}**${date ? `, ${date}` : ""}:\n\n${data.text}`;
    append(comments, data.card.id, said);
  }
  for (const card of board.cards) {
    const list = lists.get(card.idList);
    if (card.closed || !list || list.closed) {
      draft.leaveOut("Archived in Trello");
      continue;
    }
    // A list that names no state is a topic.
    const told = card.dueComplete ? "DONE" : (toState(list.name) ?? "TO_DO");
    const state = draft.readState({ word: list.name, told });
    if (state === null) {
      draft.leaveOut(`In the list ${list.name.slice(0, 60)}`);
      continue;
    }
    const [member] = card.idMembers;
    draft.leaveOut(
      "A second member of a card: a story has one assignee",
      card.idMembers.length - 1,
    );
    draft.add(toState(list.name) === undefined ? list.name : board.name, {
      id: card.id,
      title: card.name,
      // Trello lists the newest first.
      description: withComments(card.desc, take(comments, card.id).toReversed()),
      labels: card.labels.map(({ name, color }) => name || (color ?? "")),
      assignee: member === undefined ? null : people.get(member),
      created_at: timeOfId(card.id),
      state,
      tasks: take(itemsOf, card.id),
    });
  }
  return draft.finish();
}

function checkItems(checklists: z.output<typeof boardSchema>["checklists"]) {
  const items = new Map<string, TaskFields[]>();
  for (const { idCard, checkItems } of checklists) {
    for (const { id, name, state } of checkItems)
      append(items, idCard, { id, title: name, state: state === "complete" ? "DONE" : "TO_DO" });
  }
  return items;
}

/** A Trello id starts with its creation time: eight hex digits, in seconds. */
function timeOfId(cardId: string): string | undefined {
  const [seconds] = /^[0-9a-f]{8}/.exec(cardId) ?? [];
  return seconds ? timeOf(new Date(Number.parseInt(seconds, 16) * 1000).toISOString()) : undefined;
}
