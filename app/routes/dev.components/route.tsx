import type { LoaderFunctionArgs } from "@remix-run/node";
import { json } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { renderMarkdown } from "~/components/markdown.server";
import { PageHeader } from "~/components/page-header";
import { NowProvider } from "~/components/relative-time";
import { ThemeChoices } from "~/components/theme-menu";
import { ToastRegion } from "~/components/toast";
import { WriteAccessProvider } from "~/components/write-access";
import { ControlSamples } from "./control-samples";
import { DisplaySamples } from "./display-samples";
import { FieldSamples } from "./field-samples";

const text =
  "## Plan\n\n1. Read `app/contract`\n2. Write the **test** first\n\n- [x] done\n- [ ] open\n\n```ts\nconst a = 1;\n```";

/** Every component in every state, for those who build pages. It exists in development only. */
export async function loader({ context }: LoaderFunctionArgs) {
  if (context.services.env.isProduction) throw json({ error: "No such page." }, 404);
  return json({ now: Date.now(), sample: await renderMarkdown(text) });
}

export default function ComponentsPage() {
  const { now, sample } = useLoaderData<typeof loader>();
  return (
    <NowProvider now={now}>
      <WriteAccessProvider reason={null}>
        <main className="mx-auto grid max-w-5xl gap-6 p-6">
          <PageHeader
            title="Components"
            lead="What pages are made of, in every state."
            crumbs={[{ label: "Development", to: "/" }]}
            actions={
              <div className="w-40">
                <ThemeChoices />
              </div>
            }
          />
          <ControlSamples />
          <FieldSamples />
          <DisplaySamples sample={sample} />
        </main>
        <ToastRegion />
      </WriteAccessProvider>
    </NowProvider>
  );
}
