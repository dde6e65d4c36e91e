const forms = [
  /\b(?:xox[abeprs]|xapp)-[\w-]{8,}/g,
  /\b\d{5,}:[\w-]{30,}/g,
  /\b[\w-]{23,28}\.[\w-]{6,7}\.[\w-]{27,}/g,
  /\b(?:syt|mct)_\w{8,}/g,
];

/** Leaves tokens of chat services out of what is logged or shown: those in one of the known forms, and those given. */
export function maskTokens(text: string, tokens: readonly string[] = []): string {
  const known = tokens.reduce((rest, token) => (token === "" ? rest : rest.replaceAll(token, "•••")), text);
  return forms.reduce((rest, form) => rest.replace(form, "•••"), known);
}
