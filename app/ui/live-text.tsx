/**
 * Text that changes next to other content. A browser that translates the page puts elements in the place of texts, and
 * React would write to those that are gone: so it changes as an element. Text alone in its element does that anyway.
 */
export function LiveText({ children }: { children: string | number | null | undefined }) {
  return <span key={children}>{children}</span>;
}
