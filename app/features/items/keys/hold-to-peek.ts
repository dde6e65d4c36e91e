let isHeld = false;

/** A key that repeats itself is held: it presses nothing again. */
export function isHeldOn({ repeat }: KeyboardEvent): boolean {
  isHeld = repeat;
  return repeat;
}

/** Space that is held looks as long as it is held; a tap opens, and the next tap closes. */
export function closeOnRelease(close: () => unknown): () => void {
  const onKeyUp = ({ key }: KeyboardEvent) => {
    if (key !== " " || !isHeld) return;
    isHeld = false;
    close();
  };
  window.addEventListener("keyup", onKeyUp);
  return () => window.removeEventListener("keyup", onKeyUp);
}
