/** A browser that translates a page replaces texts, and React would write to those that are gone: hence an element. */
export function LiveText({ children }: { children: string | number | null | undefined }) {
  return <span key={children}>{children}</span>;
}
