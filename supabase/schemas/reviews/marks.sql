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
    coalesce(bool_or(not private.is_test_path(f ->> 'path') and f ->> 'path' !~* '\.(md|mdx|txt|rst|adoc)$'), false)
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

-- The files that a plan does not name, where it names files. Tests and generated files follow from others: plans
-- seldom name them.
create function private.outside_plan(p_plan text, p_files jsonb)
returns text[] language plpgsql immutable set search_path = '' as $$
begin
  return (
    select array_agg(f ->> 'path') from jsonb_array_elements(p_files) f
    where p_plan ~ '[[:alnum:]_-]+\.[a-z]{1,5}\M' and strpos(p_plan, regexp_replace(f ->> 'path', '^.*/', '')) = 0
      and not private.is_test_path(f ->> 'path') and not coalesce((f ->> 'folded')::boolean, false));
end;
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

-- The paths of a mark, by the product's own patterns or else the default, or by more of them. Null without one.
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
begin
  return (
    select array_agg(f ->> 'path') from jsonb_array_elements(p_files) f
    where case when v_own is null then f ->> 'path' ~* v_default else f ->> 'path' ~ v_own end or f ->> 'path' ~ v_more);
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
      regexp_replace(g, '([.+?^${}()|\[\]\\])', '\\\1', 'g'), '**/', chr(1)), '**', chr(2)), '*', '[^/]*'), chr(1), '(.*/)?'), chr(2), '.*'), '|'), '') || ')$'
    from jsonb_array_elements_text(p_patterns) g);
end;
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
-- or that gives something named like a key a value like one. Null without one.
create function private.adding_keys(p_files jsonb)
returns text[] language plpgsql immutable set search_path = '' as $$
begin
  return (
    select array_agg(f ->> 'path') from jsonb_array_elements(p_files) f
    where exists (
      select from string_to_table(f ->> 'patch', E'\n') l
      where l like '+%' and (
        l ~ '•••|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20}|glpat-[A-Za-z0-9_-]{20}|sk-[A-Za-z0-9_-]{20}|xox[abprs]-[A-Za-z0-9-]{10}|-----BEGIN [A-Z ]*PRIVATE KEY'
        or (l ~* 'key|secret|token|passw|credential' and private.gives_key(left(l, 2000))))));
end;
$$;

-- A key without a known form, `"key": "9f86…"`. Its name says what it is, so hashes, versions and IDs of lock files are
-- none; its value is letters mixed with digits, so words, paths and calls are none, and neither is a UUID.
create function private.gives_key(p_line text)
returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return exists (
    select from regexp_matches(p_line,
      '(?:^|[^a-z0-9_-])([a-z0-9_-]*(?:(?:api|access|secret|private|auth|signing|encryption)[_-]?key|secret|token|passw(?:or)?d|credentials?)|key)["'']?\s*(?::=|=>|[:=])\s*(?:["''`]([a-z0-9_+/=.-]{16,200})["''`]|([a-z0-9_+/=-]{20,200})$)',
      'gi') m
    cross join lateral (select coalesce(m[2], m[3]) as value) v
    where v.value ~* '[a-z]' and length(regexp_replace(v.value, '[^0-9]', '', 'g')) >= 3
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
create policy touched_paths_service on public.touched_paths for all to service_role using (true) with check (true);
