-- The files with an added line that looks like a key of a well-known service, from which the worker took one (•••),
-- or that gives something named like a key a value like one. Of the first kind 100 lines a file are looked at, of the second
-- 500 a file and 5,000 a change, their first 2,000 letters: a file with more is named, as it may hold one.
create function private.adding_keys(p_files jsonb)
returns table (path text, hunk integer) language plpgsql immutable set search_path = '' as $$
declare
  v_left integer := 5000;
  v_known constant text := '(?n)^\+.*?((?<!•)•••(?!•)|AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20}|github_pat_[A-Za-z0-9_]{20}|glpat-[A-Za-z0-9_-]{20}|[sr]k_live_[A-Za-z0-9]{16}|sk-[A-Za-z0-9_-]{20}|xox[abprs]-[A-Za-z0-9-]{10}|AIza[A-Za-z0-9_-]{35}|npm_[A-Za-z0-9]{36}|-----BEGIN [A-Z ]*PRIVATE KEY|://[^:@/\s"]+:(?=[^@/\s]*\d)(?=[^@/\s]*[a-z])[^@/\s${}<>]{10,}@)';
  v_lines text[];
  v_line text;
  v_file record;
begin
  for v_file in select f ->> 'path' as path, f ->> 'patch' as patch from jsonb_array_elements(p_files) f loop
    v_line := null;
    if v_file.patch ~ v_known then
      v_lines := array(select l from string_to_table(v_file.patch, E'\n') l where l ~ v_known limit 101);
      v_line := case when cardinality(v_lines) > 100 then v_lines[1] else (
        select l from unnest(v_lines) l where not private.is_placeholder(substring(l from v_known)) limit 1) end;
    end if;
    if v_line is null then
      v_lines := array(
        select left(l, 2000) from string_to_table(v_file.patch, E'\n') l
        where l ~* '^\+.*(?:key|secret|token|passw(?:or)?d|credentials?)["'']?\s*(?::=|=>|[:=])' limit least(501, v_left + 1));
      v_line := case when cardinality(v_lines) > least(500, v_left) then v_lines[1] else private.giving_key(array_to_string(v_lines, E'\n')) end;
      v_left := greatest(0, v_left - cardinality(v_lines));
    end if;
    if v_line is not null then
      path := v_file.path;
      hunk := nullif(regexp_count(left(v_file.patch, strpos(v_file.patch, v_line)), '^@@ ', 1, 'n') - 1, -1);
      return next;
    end if;
  end loop;
end;
$$;

-- The line with a key without a known form, `"key": "9f86…"`. Its name says what it is, so hashes, versions and IDs of lock files are
-- none; its value is letters mixed with digits, so words, paths and calls are none, and neither is a UUID.
create function private.giving_key(p_lines text)
returns text language plpgsql immutable set search_path = '' as $$
begin
  return (
    select m[1] from regexp_matches(p_lines,
      '^(.*?(?:^.|[^a-z0-9_-])([a-z0-9_-]*(?:(?:api|access|secret|private|auth|signing|encryption)[_-]?key|secret|token|passw(?:or)?d|credentials?)|key)["'']?[ \t]*(?::=|=>|[:=])[ \t]*(?:["''`]([a-z0-9_+/=.-]{16}[a-z0-9_+/=.-]*)["''`]|([a-z0-9_+/=-]{20}[a-z0-9_+/=-]*)$))',
      'gin') m
    cross join lateral (select coalesce(m[3], m[4]) as value) v
    where length(v.value) <= 200 and v.value ~* '[a-z]' and length(regexp_replace(v.value, '[^0-9]', '', 'g')) >= 3
      and v.value !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' and not private.is_placeholder(v.value)
      and (m[2] !~* '^key$' or v.value ~* '^[0-9a-f]{32,}$' or v.value ~ '^(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9+/=_-]{24,}$')
    limit 1);
end;
$$;

-- A value that stands for a key and opens nothing: made up for documents, forms and tests.
create function private.is_placeholder(p_key text)
returns boolean language sql immutable set search_path = '' as $$
  select p_key ~* 'example|sample|placeholder|change-?_?me|dummy|fake|(^|[^a-z])(test|demo|your|my)([^a-z]|$)|123456|abcdef|localhost|127\.0\.0\.1|([a-z0-9])\4{5}';
$$;
