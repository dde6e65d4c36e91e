import { readFile } from "~/domain/files/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";

/** `GET /api/files/:id`: the file, for whoever reads its product. */
export const loader = apiRoute({
  GET: endpoint({
    name: "getFile",
    summary: "The content of a file, with its own type",
    auth: "either",
    id: "file",
    answer: "file",
    refusals: [404],
    handle: async ({ actor, id }) => {
      const { name, type, content } = await readFile(actor, { file_id: id });
      const isShown = /^(image|video)\//.test(type);
      const bytes = Buffer.from(content, "base64");
      return new Response(bytes, {
        headers: {
          "content-type": type === "text/plain" ? "text/plain; charset=utf-8" : type,
          "content-length": String(bytes.length),
          "content-disposition": `${isShown ? "inline" : "attachment"}; filename*=UTF-8''${encodeURIComponent(name)}`,
          // Whatever is in it, a browser shows it or stores it, and runs nothing.
          "content-security-policy": "default-src 'none'; sandbox",
          "x-content-type-options": "nosniff",
          "cache-control": "private, max-age=3600",
        },
      });
    },
  }),
});
export const action = loader;
