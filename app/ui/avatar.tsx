import clsx from "clsx";

const grounds = [
  "bg-progress-soft text-progress",
  "bg-review-soft text-review",
  "bg-done-soft text-done",
  "bg-waiting-soft text-waiting",
  "bg-accent-soft text-accent",
] as const;

type AvatarProps = { name: string; src?: string | null; size?: "sm" | "md" | "lg"; agent?: boolean; label?: string };

/** A person's face is round, an agent's square; the color depends on the name. `label`: for a face without it. */
export function Avatar({ name, src, size = "md", agent = false, label }: AvatarProps) {
  const box = size === "sm" ? "size-5 text-2xs" : size === "lg" ? "size-14 text-xl" : "size-7 text-xs";
  if (src) return <img src={src} alt="" className={clsx("shrink-0 rounded-full object-cover", box)} />;
  const ground = grounds[hash(name) % grounds.length] ?? grounds[0];
  return (
    <span
      {...(label ? { role: "img", "aria-label": label, title: label } : { "aria-hidden": true })}
      className={clsx(
        "inline-flex shrink-0 items-center justify-center font-semibold uppercase",
        agent ? "rounded font-mono" : "rounded-full",
        box,
        ground,
      )}
    >
      {name.slice(0, 1) || "?"}
    </span>
  );
}

/** An agent or its worker, by face and name. */
export function AgentName({ children: name }: { children: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <Avatar size="sm" agent name={name} />
      {name}
    </span>
  );
}

function hash(text: string): number {
  let sum = 7;
  for (const character of text) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return sum;
}
