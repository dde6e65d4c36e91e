-- Facts about a change that say where a careful look pays, never a judgment, each with the first paths that it is
-- about. Read from the diff, the plan and what other jobs of the product touched, once when the diff arrives. The
-- product's own patterns replace the default of a mark; p_more, which a worker read on the main branch, only adds to
-- them (docs/review.md).
create function private.review_marks(p_job public.agent_jobs, p_files jsonb, p_more jsonb)
returns table (place integer, mark text, paths text[]) language plpgsql stable set search_path = '' as $$
declare
  v_own jsonb := (select p.review_marks from public.products p where p.id = p_job.product_id);
  v_plan text := coalesce(p_job.plan_snapshot, '');
  v_lines bigint;
  v_tests boolean;
  v_code boolean;
begin
  select coalesce(sum((f ->> 'additions')::bigint + (f ->> 'deletions')::bigint), 0),
    coalesce(bool_or(private.is_test_path(f ->> 'path') and f ->> 'status' <> 'deleted'), false),
    coalesce(bool_or(not private.is_test_path(f ->> 'path') and not private.is_prose_path(f ->> 'path')), false)
  into v_lines, v_tests, v_code
  from jsonb_array_elements(p_files) f;

  return query
    select x.place, x.mark, x.paths[1:4]
    from (values
      (1, 'no_test_changed', case when v_code and not v_tests then array[]::text[] end),
      (2, 'migration', private.touching(p_files, v_own, p_more, 'migration')),
      (3, 'dependencies', private.touching(p_files, v_own, p_more, 'dependencies')),
      (4, 'ci', private.touching(p_files, v_own, p_more, 'ci')),
      (5, 'secrets_or_auth', private.adding_keys(p_files) || private.touching(p_files, v_own, p_more, 'secrets_or_auth')),
      (6, 'deleted_tests', case when private.deletes_tests(p_files) then array[]::text[] end),
      (7, 'large', case when v_lines > 400 then array[]::text[] end),
      (8, 'outside_plan', private.outside_plan(v_plan, p_files)),
      (9, 'first_time', private.first_time(p_job, p_files))
    ) x (place, mark, paths)
    where x.paths is not null;
end;
$$;

-- The files that a plan does not name, where it names files. A folder or a pattern names all below it, and TaskList,
-- README or task-list a file of that name. Tests and generated files follow from others: plans seldom name them.
create function private.outside_plan(p_plan text, p_files jsonb)
returns text[] language plpgsql immutable set search_path = '' as $$
declare
  v_places text[] := private.named_places(p_plan);
  v_patterns text := private.patterns_regex(to_jsonb(v_places));
  v_plan text := left(p_plan, 20000);
  v_outside text[];
  v_is_named boolean := private.names_files(v_places);
  v_file record;
begin
  if cardinality(v_places) not between 1 and 100 then
    return null;
  end if;
  -- A place is whole words of a path, at any depth.
  v_patterns := '/' || substr(v_patterns, 2, length(v_patterns) - 2) || '/';
  for v_file in
    select f ->> 'path' as path, lower(concat('/', left(f ->> 'path', 300), '/ /', left(f ->> 'old_path', 300), '/ /',
      regexp_replace(left(f ->> 'path', 300), '\.[^./]*$', ''), '/')) as words, regexp_replace(f ->> 'path', '^.*/|\.[^/]*$', '', 'g') as name
    from jsonb_array_elements(p_files) f
    where not private.is_test_path(f ->> 'path') and not coalesce((f ->> 'folded')::boolean, false)
  loop
    if v_file.words ~ v_patterns then
      v_is_named := v_is_named or not private.is_prose_path(v_file.path);
    elsif not (v_file.name ~ '^.{4}' and v_file.name ~ '[-_A-Z]' and strpos(v_plan, v_file.name) > 0) then
      v_outside := v_outside || v_file.path;
    end if;
  end loop;
  return case when v_is_named then v_outside end;
end;
$$;

-- What may be a path in a plan: words with a slash, a dot or an asterisk, without what is around them, such as
-- backticks, brackets of a link, bold type or the number of a line. Who
-- names more than 100 places names none.
create function private.named_places(p_plan text)
returns text[] language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select distinct rtrim(x.place, '/')
    from regexp_split_to_table(left(lower(p_plan), 100000), '\]\(|[\s`"'',;|]+') w
    cross join lateral (
      select regexp_replace(ltrim(rtrim(w, ')]}>.:!?'), '([{<'), '^\*\*(?=[^/.*])|(?<=[^/*])\*\*$', '', 'g') as word
    ) b
    cross join lateral (
      select regexp_replace(regexp_replace(rtrim(b.word, ':.'), '(:\d+([-:]\d+)*|#l\d+(-l?\d+)?)$', ''), '^([.@~]?/)+', '') as place
    ) x
    where w ~ '[/.*]' and w !~ '://' and x.place ~ '[/.*]' and length(x.place) between 3 and 150
      and x.place !~ '^[*./]+$|(\*[^*]+){4}'
    limit 101);
end;
$$;

-- Whether a plan names files of code, not only such words as "e.g.", "Node.js", "and/or" or "example.com", nor only tests or
-- documents, which many plans name by the way.
create function private.names_files(p_places text[])
returns boolean language sql immutable set search_path = '' as $$
  select exists (
    select from unnest(p_places) p
    where p ~ '[a-z0-9_)\]-]{2}\.(tsx?|[mc]?[jt]s|jsx|py|go|rs|rb|java|kt|swift|cs|cc?|cpp|hp?p?|vue|svelte|php|sql|s?css|html)$'
      and p !~ '^(node|deno|next|nuxt|vue|react|express|nest|three|d3|chart|ember|alpine|discord|socket\.io)\.js$' and not private.is_test_path(p));
$$;

-- The files of other people in folders where no other job of the product has changed anything. Says something only
-- once agents know parts of the repository: at first every folder is new to them.
create function private.first_time(p_job public.agent_jobs, p_files jsonb)
returns text[] language plpgsql stable set search_path = '' as $$
begin
  return (
    select array_agg(f ->> 'path') from jsonb_array_elements(p_files) f
    where f ->> 'status' <> 'added'
      and not exists (
        select from public.touched_paths x
        where x.product_id = p_job.product_id and x.job_id <> p_job.id and x.folder = regexp_replace(f ->> 'path', '[^/]*$', ''))
      and 10 = (
        select count(*)
        from (
          select from private.works w
          where w.product_id = p_job.product_id and w.was_handed_in and w.id <> p_job.id limit 10) w));
end;
$$;

-- The paths of a mark, by the product's own patterns or else the default, or by more of them. Null without one. Patterns
-- with so many asterisks that a change would take seconds fit all its paths.
create function private.touching(p_files jsonb, p_own jsonb, p_more jsonb, p_mark text)
returns text[] language plpgsql immutable set search_path = '' as $$
declare
  v_default text := case p_mark
    when 'migration' then '(^|/)(migrations?|migrate)/|\.sql$'
    when 'dependencies' then '(^|/)(package(-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|requirements[^/]*\.txt|pyproject\.toml|poetry\.lock|uv\.lock|pipfile(\.lock)?|go\.(mod|sum)|cargo\.(toml|lock)|gemfile(\.lock)?|composer\.(json|lock)|pom\.xml|[^/]*\.gradle(\.kts)?|[^/]*\.csproj)$'
    when 'ci' then '^(\.github/(workflows|actions)|\.forgejo|\.gitea|\.circleci|\.buildkite|\.ci)/|^(\.gitlab-ci\.yml|jenkinsfile|\.travis\.yml|azure-pipelines\.yml)$'
    else '(^|/)\.env|auth|login|passw|secret|credential|permission|session|token|crypt|security|oauth|\.(pem|key|p12)$'
  end;
  v_own text := private.patterns_regex(p_own -> p_mark);
  v_more text := private.patterns_regex(p_more -> p_mark);
  v_stars bigint := length(regexp_replace(concat(p_own -> p_mark, p_more -> p_mark), '[^*]', '', 'g'));
  v_is_too_much boolean := v_stars * (select sum(length(f ->> 'path')) from jsonb_array_elements(p_files) f) > 100000000;
begin
  return (
    select array_agg(f ->> 'path') from jsonb_array_elements(p_files) f
    where v_is_too_much or case when v_own is null then f ->> 'path' ~* v_default else f ->> 'path' ~ v_own end or f ->> 'path' ~ v_more);
end;
$$;

-- `*` within a folder, `**` across folders, all else as written. One expression for all patterns, since each is
-- compared with thousands of paths. Null without a list.
create function private.patterns_regex(p_patterns jsonb)
returns text language plpgsql immutable set search_path = '' as $$
begin
  if p_patterns is null then
    return null;
  end if;
  return (
    select '^(' || coalesce(string_agg(replace(replace(replace(replace(replace(
      regexp_replace(regexp_replace(g, '(\*\*/)+', '**/', 'g'), '([.+?^${}()|\[\]\\])', '\\\1', 'g'), '**/', chr(1)), '**', chr(2)), '*', '[^/]*'), chr(1), '(.*/)?'), chr(2), '.*'), '|'), '') || ')$'
    from jsonb_array_elements_text(p_patterns) g);
end;
$$;

-- Documents are no code.
create function private.is_prose_path(p_path text)
returns boolean language sql immutable set search_path = '' as $$
  select p_path ~* '\.(md|mdx|txt|rst|adoc)$';
$$;

-- Files below tests/ and names such as cart.test.ts are tests (docs/review.md).
create function private.is_test_path(p_path text)
returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return p_path ~* '(^|/)(tests?|__tests__|specs?)/|(^|/)[^/]*[._-](test|spec)\.[a-z]+$|(^|/)test_[^/]*\.py$';
end;
$$;

-- A test file that goes without telling its cases, or a case that no test file of the change has any more, by its
-- name: a case that moved is still there, and a new one does not make up for another.
create function private.deletes_tests(p_files jsonb)
returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return exists (
    select from jsonb_array_elements(p_files) f
    where f ->> 'status' = 'deleted' and private.is_test_path(f ->> 'path') and cardinality(private.test_cases(f, '-')) = 0
  ) or exists (
    select unnest(private.test_cases(f, '-')) from jsonb_array_elements(p_files) f
    except
    select unnest(private.test_cases(f, '+')) from jsonb_array_elements(p_files) f);
end;
$$;

-- Names of test cases on the removed or added lines of a test file, as JavaScript, Python, Go, Rust and Java write
-- them. A name may be on the line below.
create function private.test_cases(p_file jsonb, p_sign text)
returns text[] language plpgsql immutable set search_path = '' as $$
begin
  return array(
    select coalesce(m[1], m[2], m[3], m[4], m[5])
    from regexp_matches(p_file ->> 'patch', format('^[%s][ \t]*(?:', p_sign)
      || '(?:it|test)[.( ][^''"`\n]*(?:\n.[ \t]*)?(?:"([^"\n]+)|''([^''\n]+)|`([^`\n]+))'
      || '|(?:async )?(?:def|func) ([Tt]est\w*)'
      || '|(?:#\[[\w:]*test\M|@\w*Test\M)[^\n]*\n.[^(\n]*\m(\w+)\s*\()', 'gn') m
    where private.is_test_path(coalesce(case p_sign when '-' then p_file ->> 'old_path' end, p_file ->> 'path')));
end;
$$;

-- The files with an added line that looks like a key of a well-known service, from which the worker took one (•••),
-- or that gives something named like a key a value like one. Null without one. Lines of the second kind are looked at 500
-- a file and 5,000 a change, their first 2,000 letters: a file with more is named, as it may hold one.
create function private.adding_keys(p_files jsonb)
returns text[] language plpgsql immutable set search_path = '' as $$
declare
  v_left integer := 5000;
  v_found text[];
  v_lines text[];
  v_file record;
begin
  for v_file in select f ->> 'path' as path, f ->> 'patch' as patch from jsonb_array_elements(p_files) f loop
    if v_file.patch ~ '(?n)^\+.*(?:•••|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20}|glpat-[A-Za-z0-9_-]{20}|sk-[A-Za-z0-9_-]{20}|xox[abprs]-[A-Za-z0-9-]{10}|-----BEGIN [A-Z ]*PRIVATE KEY)' then
      v_found := v_found || v_file.path;
      continue;
    end if;
    v_lines := array(
      select left(l, 2000) from string_to_table(v_file.patch, E'\n') l
      where l ~* '^\+.*(?:key|secret|token|passw(?:or)?d|credentials?)["'']?\s*(?::=|=>|[:=])' limit least(501, v_left + 1));
    if cardinality(v_lines) > least(500, v_left) or private.gives_key(array_to_string(v_lines, E'\n')) then
      v_found := v_found || v_file.path;
    end if;
    v_left := greatest(0, v_left - cardinality(v_lines));
  end loop;
  return v_found;
end;
$$;

-- A key without a known form, `"key": "9f86…"`. Its name says what it is, so hashes, versions and IDs of lock files are
-- none; its value is letters mixed with digits, so words, paths and calls are none, and neither is a UUID.
create function private.gives_key(p_lines text)
returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return exists (
    select from regexp_matches(p_lines,
      '(?:^|[^a-z0-9_-])([a-z0-9_-]*(?:(?:api|access|secret|private|auth|signing|encryption)[_-]?key|secret|token|passw(?:or)?d|credentials?)|key)["'']?[ \t]*(?::=|=>|[:=])[ \t]*(?:["''`]([a-z0-9_+/=.-]{16}[a-z0-9_+/=.-]*)["''`]|([a-z0-9_+/=-]{20}[a-z0-9_+/=-]*)$)',
      'gin') m
    cross join lateral (select coalesce(m[2], m[3]) as value) v
    where length(v.value) <= 200 and v.value ~* '[a-z]' and length(regexp_replace(v.value, '[^0-9]', '', 'g')) >= 3
      and v.value !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      and (m[1] !~* '^key$' or v.value ~* '^[0-9a-f]{32,}$' or v.value ~ '^(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9+/=_-]{24,}$'));
end;
$$;

-- The paths that the jobs of a product have touched, for the mark first_time. Written with a diff and never read by
-- clients; the first attempt that touched a path stays.
create table public.touched_paths (
  product_id uuid not null references public.products (id) on delete cascade,
  path text not null constraint touched_paths_path_length check (char_length(path) <= 4096),
  job_id uuid not null,
  attempt integer not null,
  folder text not null generated always as (regexp_replace(path, '[^/]*$', '')) stored,
  constraint touched_paths_pkey primary key (product_id, path)
);
create index touched_paths_folder_idx on public.touched_paths (product_id, folder);
comment on table public.touched_paths is 'Paths that attempts of the product have touched (docs/review.md).';
alter table public.touched_paths enable row level security;
