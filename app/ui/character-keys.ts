const name = "character-keys";

/** Whether single letters are keys in this browser; without storage they are. */
export function characterKeysOn(): boolean {
  try {
    return localStorage.getItem(name) !== "off";
  } catch {
    return true;
  }
}

export function switchCharacterKeys(on: boolean): void {
  if (on) localStorage.removeItem(name);
  else localStorage.setItem(name, "off");
}
