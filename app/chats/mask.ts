const forms = [
  /\b(?:xox[abeprs]|xapp)-[\w-]{8,}/g,
  /\b\d{5,}:[\w-]{30,}/g,
  /\b[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}/g,
  /\b(?:syt|mct)_\w{8,}/g,
  /\b(?:AKIA[0-9A-Z]{16}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|[sr]k_live_\w{16,}|sk-[\w-]{20,}|AIza[\w-]{35}|npm_\w{36}|blm_[\w-]{20,})/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
];

/** Leaves secrets out of what is logged, shown or sent to a chat: those in a well-known form, and the tokens given. */
export function maskTokens(text: string, tokens: readonly string[] = []): string {
  const known = tokens.reduce((rest, token) => (token === "" ? rest : rest.replaceAll(token, "•••")), text);
  return forms.reduce((rest, form) => rest.replace(form, "•••"), known);
}
