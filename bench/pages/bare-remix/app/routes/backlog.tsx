import { json } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";

/** 440 rows without a database, of which 60 are drawn, as the service does. */
export function loader() {
  const rows = Array.from({ length: 440 }, (_, index) => ({
    id: `c8143757-3de2-4f62-8146-${String(index).padStart(12, "0")}`,
    code: `ST-${index}`,
    title: `The shop tells by mail what happened to order ${index}`,
    status: "open",
  }));
  return json({ rows });
}

export default function Backlog() {
  const { rows } = useLoaderData<typeof loader>();
  return (
    <main>
      <h1>Backlog</h1>
      {rows.slice(0, 60).map((row) => (
        <div key={row.id} className="row">
          <Link to={`?fold=${row.id}`}>fold</Link>
          <span className="code">{row.code}</span>
          <Link to={`?panel=${row.id}`}>{row.title}</Link>
          <span className="status">{row.status}</span>
        </div>
      ))}
    </main>
  );
}
