/** Choices of the setting *Pull requests*. */
export const pullRequestOptions = [
  { value: "none", label: "Do not open pull requests" },
  { value: "draft", label: "Open as a draft until every criterion is proven" },
  { value: "open", label: "Open ready for review" },
] as const;
