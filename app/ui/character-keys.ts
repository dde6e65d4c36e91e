const name = "character-keys";

/** Whether single-letter shortcuts are on in this browser. On if storage is unavailable. */
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
