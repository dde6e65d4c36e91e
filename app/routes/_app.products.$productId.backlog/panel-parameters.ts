/** Fields of a form for something new that its address may fill in: `?panel=new-story&pbi=PBI-2&title=…`. */
export const filledFields = [
  "title",
  "description",
  "acceptance_criteria",
  "implementation_plan",
  "priority",
] as const;

export type FilledField = (typeof filledFields)[number];

/** All that belongs to the panel in the address of the backlog; it goes when the panel does. */
export const panelParameters = ["panel", "pbi", "story", "into", "made", ...filledFields] as const;
