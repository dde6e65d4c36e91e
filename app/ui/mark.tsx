/** The logo: two crossing threads, people over agents over people. */
export function Mark({ className = "size-6" }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" fill="none" strokeWidth="3" className={className} aria-hidden="true">
      <path d="M3 17.5c5 0 6.6-2.7 8-5" className="stroke-ink" strokeLinecap="round" />
      <path d="M13.2 10.4C14.6 8.3 16.5 6.5 21 6.5" className="stroke-ink" strokeLinecap="round" />
      <path d="M3 6.5c9.5 0 8.5 11 18 11" className="stroke-accent" strokeLinecap="round" />
    </svg>
  );
}
