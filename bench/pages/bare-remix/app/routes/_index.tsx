import type { MetaFunction } from "@remix-run/node";

export const meta: MetaFunction = () => [{ title: "Bare" }];

/** A page without data: what the framework alone costs. */
export default function Index() {
  return (
    <main>
      <h1>Bare</h1>
      <p>One static page, rendered on the server for each request.</p>
    </main>
  );
}
