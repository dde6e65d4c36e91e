/** Endings of file names and the language in which highlight.js colours them; its common ones. */
const languages: Record<string, string> = {
  ...named("bash", "sh bash zsh"),
  ...named("c", "c h"),
  ...named("cpp", "cc cpp cxx hpp hh"),
  ...named("csharp", "cs"),
  ...named("css", "css"),
  ...named("diff", "diff patch"),
  ...named("go", "go"),
  ...named("graphql", "graphql gql"),
  ...named("ini", "ini toml cfg conf"),
  ...named("java", "java"),
  ...named("javascript", "js mjs cjs jsx"),
  ...named("json", "json jsonc"),
  ...named("kotlin", "kt kts"),
  ...named("less", "less"),
  ...named("lua", "lua"),
  ...named("makefile", "mk makefile"),
  ...named("markdown", "md markdown"),
  ...named("objectivec", "m mm"),
  ...named("perl", "pl pm"),
  ...named("php", "php"),
  ...named("python", "py pyi"),
  ...named("r", "r"),
  ...named("ruby", "rb gemfile rakefile"),
  ...named("rust", "rs"),
  ...named("scss", "scss"),
  ...named("sql", "sql"),
  ...named("swift", "swift"),
  ...named("typescript", "ts tsx mts cts"),
  ...named("vbnet", "vb"),
  ...named("xml", "xml html htm svg vue"),
  ...named("yaml", "yml yaml"),
};

/** The language of a file by its name, or null: then it is shown as plain text. */
export function languageOf(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  return languages[name.slice(name.lastIndexOf(".") + 1)] ?? null;
}

function named(language: string, endings: string): Record<string, string> {
  return Object.fromEntries(endings.split(" ").map((ending) => [ending, language]));
}
