import { json } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";

const columns = ["todo", "in_progress", "review", "done"];

/** 50 tasks without a database: what Remix and React need for a plain board. */
export function loader() {
  const tasks = Array.from({ length: 50 }, (_, index) => ({
    id: `c8143757-3de2-4f62-8146-${String(index).padStart(12, "0")}`,
    code: `T-${index}`,
    title: `Write the message of step ${index} and send it`,
    story: `ST-00${index % 5}`,
    status: columns[index % columns.length] ?? "todo",
  }));
  return json({ tasks });
}

export default function Board() {
  const { tasks } = useLoaderData<typeof loader>();
  return (
    <main>
      <h1>Board</h1>
      {columns.map((status) => (
        <section key={status}>
          <h2>{status}</h2>
          <ul>
            {tasks
              .filter((task) => task.status === status)
              .map((task) => (
                <li key={task.id} className="card">
                  <span className="code">{task.code}</span> <span>{task.story}</span>
                  <Link to={`/tasks/${task.id}`}>{task.title}</Link>
                  <button type="button">Move</button>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </main>
  );
}
