import { Section } from "~/components/card";
import { CopyBlock } from "~/components/copy-button";
import { setups } from "./setups";

/** Second step: one block for each kind of client. They are all in the page, so that it works without script. */
export function ClientSetups({
  origin,
  token,
  product,
  installed,
}: {
  origin: string;
  token: string;
  product: { id: string; code: string } | null;
  installed: Readonly<Record<string, string>>;
}) {
  return (
    <Section title="2. Copy one of these">
      <div className="grid gap-3">
        {setups({ origin, token, product, installed }).map(({ name, about, blocks }, index) => (
          <details
            key={name}
            open={index === 0}
            name="client"
            className="rounded border border-line"
          >
            <summary className="px-3 py-2 text-sm font-medium hover:bg-sunken">{name}</summary>
            <div className="grid gap-2 border-t border-line p-3">
              {about ? <p className="text-sm text-muted">{about}</p> : null}
              {blocks.map((block) => (
                <CopyBlock key={block.label} label={block.label} text={block.text} />
              ))}
            </div>
          </details>
        ))}
      </div>
    </Section>
  );
}
