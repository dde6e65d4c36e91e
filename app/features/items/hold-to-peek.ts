let isHeld = false;

/** Whether the key is held: repeats must not trigger again. */
export function isHeldOn({ repeat }: KeyboardEvent): boolean {
  isHeld = repeat;
  return repeat;
}

/** Holding Space peeks until release; tapping it opens, and the next tap closes. */
export function closeOnRelease(close: () => unknown): () => void {
  const onKeyUp = ({ key }: KeyboardEvent) => {
    if (key !== " " || !isHeld) return;
    isHeld = false;
    close();
  };
  window.addEventListener("keyup", onKeyUp);
  return () => window.removeEventListener("keyup", onKeyUp);
}
