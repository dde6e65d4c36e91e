-- Whether code changed and no test did. Settings, styles, documents, generated files and migrations have no tests of
-- their own, nor has a file that only moved; Rust has its tests within the code.
create function private.is_untested(p_files jsonb)
returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return coalesce(bool_or(private.is_code_path(f ->> 'path') and not private.is_test_path(f ->> 'path')
      and not private.fits_mark('migration', f) and (f ->> 'additions')::bigint + (f ->> 'deletions')::bigint > 0
      and not coalesce((f ->> 'folded')::boolean, false)), false)
    and not bool_or(f ->> 'status' <> 'deleted' and private.is_test_path(f ->> 'path') or f ->> 'patch' ~ '(?n)^[+].*#\[(\w+::)*test\]')
  from jsonb_array_elements(p_files) f;
end;
$$;

-- By the product's patterns or the default, or more. Patterns whose asterisks would take seconds fit all paths.
create function private.touching(p_files jsonb, p_own jsonb, p_more jsonb, p_mark text)
returns table (path text, hunk integer) language plpgsql immutable set search_path = '' as $$
declare
  v_own text := private.patterns_regex(p_own);
  v_more text := private.patterns_regex(p_more);
  v_stars bigint := length(regexp_replace(concat(p_own, p_more), '[^*]', '', 'g'));
  v_is_too_much boolean := v_stars * (select sum(length(f ->> 'path')) from jsonb_array_elements(p_files) f) > 100000000;
begin
  return query
    select f ->> 'path', private.hunk_at(f ->> 'patch', private.dependency_lines(f ->> 'path')) from jsonb_array_elements(p_files) f
    where v_is_too_much or case when v_own is null then private.fits_mark(p_mark, f) else f ->> 'path' ~ v_own end or f ->> 'path' ~ v_more;
end;
$$;

-- Whether a file is one of a mark where no patterns are named: by the words of its path, and for packages and SQL by
-- its changed lines too: package.json has scripts as well, and SQL queries.
create function private.fits_mark(p_mark text, p_file jsonb)
returns boolean language plpgsql immutable set search_path = '' as $$
declare
  v_path text := p_file ->> 'path';
  v_patch text := p_file ->> 'patch';
  v_is_whole boolean := v_patch is not null and not coalesce((p_file ->> 'truncated')::boolean, false);
  v_words text;
begin
  if p_mark = 'ci' then
    return v_path ~* '^(\.github/(workflows|actions)|\.forgejo|\.gitea|\.circleci|\.buildkite|\.ci)/|^(\.gitlab-ci\.yml|jenkinsfile|\.travis\.yml|azure-pipelines\.yml)$';
  end if;
  if p_mark = 'dependencies' then
    return private.dependency_lines(v_path) is not null and (not v_is_whole or v_patch ~* private.dependency_lines(v_path));
  end if;
  if private.is_test_path(v_path) or private.is_prose_path(v_path)
    or v_path ~* '(^|/)(docs?|locales?|i18n|fixtures)/|\.(s?css|less|svg|png|jpe?g|gif|webp|ico|snap|pdf)$' then
    return false;
  end if;
  if p_mark = 'migration' then
    return v_path ~* '(^|/)(migrations?|migrate|alembic/versions|db/changelog)/' and v_path !~* '(^|/)__init__\.py$|\.(tsx|jsx|html?|vue|svelte)$'
      or v_path ~* '\.sql$' and (not v_is_whole
        or v_patch ~* '(?n)^[+-]\s*(create|alter|drop|truncate)\s+(unique\s+)?(table|index|type|sequence|schema|materialized)\M');
  end if;
  -- OAuthToken, oauth_token and oauth-token have the same words.
  v_words := '-' || regexp_replace(lower(regexp_replace(v_path, '([a-z0-9])([A-Z])', '\1-\2', 'g')), '[^a-z0-9]+', '-', 'g') || '-';
  return v_words ~ '-(auth[nz0-9]?|authenticat\w*|authori[sz]\w*|o-?auth2?|oidc|saml|sso|log-?(in|out)|sign-?(in|out|up)|passw(or)?ds?|credentials?|permissions?|rbac|acl|jwt|csrf|sessions?|secrets?|crypto?|encrypt\w*|security)-'
    or v_words ~ '-tokens?-' and v_words !~ '-(design|styles?|theme|css|lex(er)?|pars(er?|ing)|syntax|grammar|ast|highlight\w*|counts?|counter|usage|prices?)-'
    or v_path ~* '(^|/)\.env(\.(?!example|sample|template|dist)[^/]*)?$|\.(pem|key|p12|pfx)$';
end;
$$;

-- Where checks are switched off: a failure of tests that CI or a script passes over, a certificate that code takes unseen.
create function private.switched_off(p_files jsonb)
returns table (mark text, path text, hunk integer) language plpgsql immutable set search_path = '' as $$
declare
  v_passes constant text := '[^#\n]*(?:\m(?:continue-on-error|allow_failure)"?:\s*true\M|--no-verify\M|--pass-?with-?no-?tests\M|--exit-zero\M|(?:\m(?:tests?|lint|check|typecheck|clippy|vitest|jest|pytest|mocha|cypress|playwright|tsc|eslint|biome|ruff|mypy|rspec|phpunit)\M[^#\n]*)\|\|\s*(?:true\M|exit 0\M|:\s*$))';
  v_certificate constant text := '.*(?:reject_?unauthorized["'']?\]?\s*[:=]\s*["'']?(?:false|0)\M|InsecureSkipVerify\s*[:=]+\s*true\M|\mverify(?:_ssl|_certs)?\s*=\s*False\M|\m(?:check_hostname\s*=\s*False|CERT_NONE|VERIFY_NONE|_create_unverified_context)\M|danger_accept_invalid_certs\(true|SSL_VERIFYPEER\W+(?:false|0)\M|(?:ssl_?verify|strict-ssl)\W+false\M|\mcurl\M.*(?:--insecure\M|\s-[a-z]*k\M))';
begin
  return query
    select m.mark, f ->> 'path', private.hunk_at(f ->> 'patch', '(?n)^[+]' || m.line)
    from jsonb_array_elements(p_files) f join (values ('weakened_tests', v_passes), ('auth', v_certificate)) m (mark, line) on case
      when m.mark = 'weakened_tests' then private.fits_mark('ci', f)
        or f ->> 'path' ~* '(^|/)(package\.json|(make|just)file|tox\.ini|lefthook\.ya?ml|\.pre-commit-config\.yaml)$|\.(sh|mk)$|(^|/)\.husky/'
      when f ->> 'patch' ~* ('(?n)^[+]' || m.line) then not private.is_test_path(f ->> 'path') and not private.is_prose_path(f ->> 'path') end
    -- A line that moved switches nothing off.
    where (
      select string_agg('+' || a.line, E'\n') from (
        select btrim(substr(l, 2), E' \t') as line from string_to_table(f ->> 'patch', E'\n') l where l ^@ '+'
        except all select btrim(substr(l, 2), E' \t') from string_to_table(f ->> 'patch', E'\n') l where l ^@ '-') a) ~* ('(?n)^[+]' || m.line);
end;
$$;

-- How a changed line looks that names a package, in a file that lists some. Null for other files.
create function private.dependency_lines(p_path text)
returns text language sql immutable set search_path = '' as $$
  select '(?n)^[+-]' || case
    when p_path ~* '(^|/)(package|composer)\.json$' then
      '(?:\s*"\w*dependencies"\s*:\s*\{)?\s*"(?!(?:version|node|npm|pnpm|yarn|php)")[@a-z0-9][^"\n]*"\s*:\s*"(?:[~^<>=v]*\d|\*|latest|next|workspace:|npm:|file:|link:|git|https?:|catalog:)'
    when p_path ~* '(^|/)(pyproject\.toml|pipfile|cargo\.toml)$' then
      '\s*(?:["''][a-z0-9][\w.-]*(?:\[[^\]\n]*\])?\s*[<>=~!@;]|(?!(?:version|python|requires-python|rust-version|edition|resolver|target-version|minversion)\M)[\w.-]+\s*=\s*(?:["''](?:[~^<>=]*\d|\*)|\{[^}\n]*(?:version|git|path|workspace)\M))'
    when p_path ~* '(^|/)go\.mod$' then '\s*(?:(?:require|replace)\M|[\w.-]+\.[\w./-]+\s+v\d)'
    when p_path ~* '\.gradle(\.kts)?$' then '.*(?:\m(?:implementation|api|classpath|id|kapt|ksp|\w+Only|\w+Implementation)\M|["''][\w.-]+:[\w.-]+:)'
    when p_path ~* '\.csproj$' then '.*<(?:Package|Project)Reference'
    when p_path ~* '(^|/)gemfile$' then '\s*(?:gem|source|git)\M'
    when p_path ~* '(^|/)requirements[^/]*\.txt$' then '\s*[a-z0-9-]'
    when p_path ~* '(^|/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|pipfile\.lock|go\.sum|cargo\.lock|gemfile\.lock|composer\.lock|pom\.xml)$' then ''
  end;
$$;

-- The hunk of a patch with the first line that fits, counted from 0. Functions that name a place look for all that fit.
create function private.hunk_at(p_patch text, p_line text)
returns integer language sql immutable set search_path = '' as $$
  select (length(x.before) - length(replace(x.before, E'\n@@ ', ''))) / 4
  from (select substr(p_patch, nullif(strpos(E'\n' || p_patch, E'\n@@ '), 0)) as hunks) h
  cross join lateral (select regexp_replace(h.hunks, p_line || '(?:.|\n)*', '', 'i') as before) x
  where x.before <> h.hunks;
$$;

-- `*` within a folder, `**` across folders. One expression, as it is compared with thousands of paths. Null without.
create function private.patterns_regex(p_patterns jsonb)
returns text language plpgsql immutable strict set search_path = '' as $$
begin
  return (
    select '^(' || coalesce(string_agg(replace(replace(replace(replace(replace(
      regexp_replace(regexp_replace(g, '(\*\*/)+', '**/', 'g'), '([.+?^${}()|\[\]\\])', '\\\1', 'g'), '**/', chr(1)), '**', chr(2)), '*', '[^/]*'), chr(1), '(.*/)?'), chr(2), '.*'), '|'), '') || ')$'
    from jsonb_array_elements_text(p_patterns) g);
end;
$$;

-- Documents are not code.
create function private.is_prose_path(p_path text)
returns boolean language sql immutable set search_path = '' as $$
  select p_path ~* '\.(md|mdx|txt|rst|adoc)$';
$$;

-- What has tests: code, other than the settings of its tools.
create function private.is_code_path(p_path text)
returns boolean language sql immutable set search_path = '' as $$
  select p_path ~* '\.([cm]?[jt]sx?|py|go|rs|rb|java|kt|swift|scala|cs|cc?|cpp|hp?p?|php|vue|svelte|exs?|dart)$'
    and p_path !~* '(^|/)[^/]*\.(config|setup|d)\.[cm]?[jt]sx?$|^\.[^/]*/|(^|/)docs?/';
$$;

-- Files below tests/ and names such as cart.test.ts are tests (docs/review.md).
create function private.is_test_path(p_path text)
returns boolean language plpgsql immutable set search_path = '' as $$
begin
  return p_path ~* '(^|/)(tests?|__tests__|specs?|e2e)/|(^|/)[^/]*[._-](test|spec)\.[a-z]+$|(^|/)test_[^/]*\.py$' or p_path ~ '[a-z0-9]Tests?\.(java|kt|cs|swift|scala)$';
end;
$$;
