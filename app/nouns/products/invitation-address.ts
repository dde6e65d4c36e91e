/** Returns the invitation code of a join page's path. */
export function invitationCodeIn(path: string): string | undefined {
  return /^\/join\/([A-Za-z0-9_-]{43})$/.exec(path)?.[1];
}
