import { z } from "zod";
import { timeOf, withComments, withFacts } from "~/wire/transfers/clean-text";
import type { ImportDraft } from "~/wire/transfers/contract";
import { Draft, type TaskFields } from "~/wire/transfers/draft";
import { toState } from "~/wire/transfers/state";
import { append, take } from "../append";
import { readJson } from "./read-json";

const id = z.string().min(1);
/** Order in a board, list or checklist. */
const pos = z.number().default(0);
const byPos = (one: { pos: number }, other: { pos: number }) => one.pos - other.pos;

const cardSchema = z.looseObject({
  id,
  name: z.string(),
  desc: z.string().default(""),
  closed: z.boolean().default(false),
  idList: id,
  pos,
  idMembers: z.array(id).default([]),
  labels: z.array(z.object({ name: z.string().default(""), color: z.string().nullish() })).default([]),
  dueComplete: z.boolean().nullish(),
  due: z.string().nullish(),
});
const itemSchema = z.looseObject({ id, name: z.string(), state: z.string(), pos });

const checklistSchema = z.looseObject({
  id: z.string().optional(),
  idCard: id,
  pos,
  checkItems: z.array(itemSchema).default([]),
});

const boardSchema = z.looseObject({
  name: z.string(),
  lists: z.array(z.object({ id, name: z.string(), pos, closed: z.boolean().default(false) })),
  cards: z.array(cardSchema),
  members: z.array(z.object({ id, username: z.string() })).default([]),
  checklists: z.array(checklistSchema).default([]),
  actions: z
    .array(
      z.object({
        type: z.string(),
        date: z.string().optional(),
        data: z.object({ text: z.string().optional(), card: z.object({ id }).optional() }).default({}),
        memberCreator: z.object({ username: z.string() }).nullish(),
      }),
    )
    .default([]),
});

/** Lists named after a state share one PBI, others are one each; cards become stories, checklist items tasks. */
export function readTrello(text: string): ImportDraft {
  const board = readJson(text, boardSchema, "the JSON export of a Trello board");
  const draft = new Draft("trello");
  const lists = new Map(board.lists.map((list) => [list.id, list]));
  const people = new Map(board.members.map((member) => [member.id, member.username]));
  const itemsOf = checkItems(draft, board.checklists.toSorted(byPos));
  draft.leftOut.addUnread("board.", board, boardSchema.shape);
  const comments = new Map<string, string[]>();
  for (const { type, date, data, memberCreator } of board.actions) {
    if (type !== "commentCard" || !data.card || !data.text) {
      draft.leftOut.add("History of the board");
      continue;
    }
    const said = `**${memberCreator?.username ?? "someone"}**${date ? `, ${date}` : ""}:\n\n${data.text}`;
    append(comments, data.card.id, said);
  }
  const cardsOf = new Map<string, typeof board.cards>();
  for (const card of board.cards.toSorted(byPos)) append(cardsOf, card.idList, card);
  const inOrder = board.lists.toSorted(byPos).flatMap(({ id }) => take(cardsOf, id));
  for (const card of [...inOrder, ...[...cardsOf.values()].flat()]) {
    const list = lists.get(card.idList);
    if (card.closed || !list || list.closed) {
      draft.leftOut.add("Archived in Trello");
      continue;
    }
    // A list that names no state is a topic.
    const told = card.dueComplete ? "DONE" : toState(list.name);
    const state = draft.readState({ word: list.name, told });
    if (state === null) {
      draft.leftOut.add(`In the list ${list.name.slice(0, 60)}`);
      continue;
    }
    draft.leftOut.addUnread("card.", card, cardSchema.shape);
    const [member] = card.idMembers;
    draft.leftOut.add("A second member of a card: a story has one assignee", card.idMembers.length - 1);
    draft.add(toState(list.name) === undefined ? list.name : board.name, {
      id: card.id,
      title: card.name,
      // Trello lists the newest first.
      description: withComments(
        withFacts(card.desc, { "Due date": card.due ?? "" }),
        take(comments, card.id).toReversed(),
      ),
      labels: card.labels.map(({ name, color }) => name || (color ?? "")),
      assignee: member === undefined ? null : people.get(member),
      created_at: timeOfId(card.id),
      state,
      tasks: take(itemsOf, card.id),
    });
  }
  return draft.finish();
}

function checkItems(draft: Draft, checklists: z.output<typeof checklistSchema>[]) {
  const items = new Map<string, TaskFields[]>();
  for (const checklist of checklists) {
    draft.leftOut.addUnread("checklist.", checklist, checklistSchema.shape);
    for (const item of checklist.checkItems.toSorted(byPos)) {
      draft.leftOut.addUnread("item.", item, itemSchema.shape);
      const state = item.state === "complete" ? "DONE" : "TO_DO";
      append(items, checklist.idCard, { id: item.id, title: item.name, state });
    }
  }
  return items;
}

/** A Trello id starts with its creation time: eight hex digits, in seconds. */
function timeOfId(cardId: string): string | undefined {
  const [seconds] = /^[0-9a-f]{8}/.exec(cardId) ?? [];
  return seconds ? timeOf(new Date(Number.parseInt(seconds, 16) * 1000).toISOString()) : undefined;
}
