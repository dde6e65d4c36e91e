/** The code in the address of a join page, when that is where somebody wants to go. */
export function invitationCodeIn(path: string): string | undefined {
  return /^\/join\/([A-Za-z0-9_-]{43})$/.exec(path)?.[1];
}
