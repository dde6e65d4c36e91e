-- The lines of test files as they were and as they are, each with the case that it belongs to, which reaches to the next
-- or to the end of the hunk. Read as JavaScript, Python, Go, Rust, Java, C#, Ruby and PHP write tests, 20,000 lines at most.
create function private.test_lines(p_files jsonb)
returns table (side text, file bigint, n bigint, hunk integer, sign text, line text, name text, is_group boolean, part bigint)
language plpgsql immutable set search_path = '' as $$
declare
  v_start constant text := '^((export|async|pub|public|private|protected|static|override|suspend|final|void) )*([xf]?(it|test|specify|describe|context|suite)\M[.( "''`]|(def|func|fn|fun|function) [Tt]est|#\[[\w:]*test\M|@\w*Test\M|\[(Fact|Theory|Test|TestMethod|TestCase)\M|\]( as const)?\)\()';
begin
  return query
    with lines as materialized (
      select l.* from (
        select f.place, l.n, left(l.line, 1) as sign, btrim(substr(left(l.line, 500), 2), E' \t\r') as text,
          (count(*) filter (where l.line like '@@ %') over (partition by f.place order by l.n) - 1)::integer as hunk
        from jsonb_array_elements(p_files) with ordinality f (value, place)
        cross join lateral string_to_table(f.value ->> 'patch', E'\n') with ordinality l (line, n)
        where private.is_test_file(f.value) and length(l.line) > 1 limit 20000
      ) l
      where l.sign in ('+', '-', ' ') and l.hunk >= 0
    ), named as (
      select s.side, l.*, case
        when l.text !~ v_start then null
        when l.text ~ '^[#@\[]' then coalesce(substring(lead(l.text) over w from '\m(\w+)\s*[(<]'), l.text)
        else coalesce(substring(l.text from '\m(?:def|func|fn|fun|function) ([Tt]est\w*)'),
          substring(concat(l.text, ' ', lead(l.text) over w) from '^[^"''`]*("[^"]+"|''[^'']+''|`[^`]+`)'), l.text) end as name
      from lines l join (values ('old', '-'), ('old', ' '), ('new', '+'), ('new', ' ')) s (side, sign) on s.sign = l.sign
      window w as (partition by s.side, l.place, l.hunk order by l.n)
    )
    select v.side, v.place, v.n, v.hunk, v.sign, v.text, btrim(v.name, '"''`'), v.name is not null and (v.name = v.text or v.text ~ '^[xf]?(describe|context|suite)\M'),
      count(v.name) over (partition by v.side, v.place, v.hunk order by v.n)
    from named v;
end;
$$;

-- What a change takes from its tests. A case is deleted when its name and more than half of its lines are gone. Tests
-- are weakened where a case that stays asserts less, or by a looser matcher, or is skipped.
create function private.changed_tests(p_files jsonb)
returns table (mark text, path text, hunk integer) language plpgsql immutable set search_path = '' set enable_nestloop = off as $$
declare
  v_assert constant text := '\m(expect|assert)\w*!?[.(<]|\massert\s|\mshould\M|\mrequire\.[A-Z]\w*\(|\mt\.(Error|Fatal|Fail)\w*\(|XCTAssert|\mverify\(';
  v_matcher constant text := '\.to[A-Z]\w*\(';
  v_skip constant text := '\m(it|test|describe|context|suite)\.(skip|todo|only|fixme|failing)\M|^(x|f)(it|test|describe)\(|pytest\.mark\.(skip|xfail)|unittest\.skip|\mt\.Skip|@(Disabled|Ignore)\M|#\[ignore|\[Ignore|\mSkip\s*=|markTestSkipped|\mskip: true';
begin
  return query
    with files as materialized (
      select f.value ->> 'path' as path, f.value as data, f.place as file from jsonb_array_elements(p_files) with ordinality f (value, place)
      where private.is_test_file(f.value)
    ), lines as materialized (
      select * from private.test_lines(p_files)
    ), starts as materialized (
      select l.side, l.file, l.hunk, l.part, l.name, l.sign, l.n, l.is_group,
        row_number() over (partition by l.side, l.sign, l.name order by l.file, l.n) as nth,
        count(*) filter (where l.side = 'old' and l.sign = '-') over (partition by l.name) as olds,
        count(*) filter (where l.side = 'new' and l.sign = '+') over (partition by l.name) as news
      from lines l where l.name is not null
    ), removed as materialized (
      select * from starts s where s.side = 'old' and s.sign = '-' and not s.is_group and s.nth > s.news
    ), added as materialized (
      select * from starts s where s.side = 'new' and s.sign = '+' and not s.is_group and s.nth > s.olds
    ), body as materialized (
      select r.file, r.hunk, r.part, l.n, l.sign, l.line,
        row_number() over (partition by l.sign, l.line order by l.file, l.n) as nth, row_number() over (order by l.file, l.n) as place
      from removed r join lines l using (side, file, hunk, part)
      where case when l.n = r.n then substr(l.line, strpos(l.line, r.name) + length(r.name)) ~ '\w{3}\W.*\w\W.*\w' else l.line ~ '\w{2}' end
    ), spare as materialized (
      -- Lines that come back elsewhere, without those that other cases took along.
      select l.line, count(*) filter (where l.sign = '+') - count(*) filter (where l.sign = '-' and b.n is null) as times
      from lines l left join body b on b.file = l.file and b.n = l.n
      where l.sign <> ' ' group by l.line
    ), anew as materialized (
      select l.file, l.hunk, private.telling_words(l.line) as words
      from added a join lines l using (side, file, hunk, part) where l.sign = '+' limit 100
    ), alike as materialized (
      select distinct b.file, b.n
      from (select *, private.telling_words(b.line) as words from body b where b.sign = '-' and b.place <= 100) b
      join anew a on a.file = b.file and a.hunk = b.hunk
      where cardinality(b.words) > 1 and (
        select count(*) from unnest(b.words) w where w = any (a.words)) * 10 >= cardinality(b.words) * 7
    ), kept as materialized (
      select b.file, b.hunk, b.part, count(*) as lines, count(*) filter (where b.sign = ' ' or b.nth <= s.times) as same,
        count(*) filter (where b.sign = ' ' or b.nth <= s.times or a.n is not null) as alike
      from body b left join spare s on s.line = b.line left join alike a on a.file = b.file and a.n = b.n
      group by b.file, b.hunk, b.part
    ), gone as materialized (
      -- A new name beside an old case takes over from one.
      select r.file, r.hunk, r.part, not coalesce(k.same * 2 >= k.lines
        or k.alike * 2 >= k.lines and row_number() over (partition by r.file, r.hunk order by r.n) <= a.names, false) as is_deleted
      from removed r left join kept k using (file, hunk, part)
      left join (select a.file, a.hunk, count(*) as names from added a group by a.file, a.hunk) a using (file, hunk)
    ), changed as (
      select l.side, l.file, l.hunk, l.line, l.line ~ v_assert and not coalesce(o.times > 0, false) as asserts, l.line ~ v_skip as skips,
        private.exactness(l.line) as exact, l.line ~ '\.(toEqual|toStrictEqual|toMatchObject|toMatchInlineSnapshot|deepEqual|deepStrictEqual)\(|assert_eq|assertEquals?\(' as is_deep,
        -- A case that has another name is compared within its hunk, one that moved by its name.
        case when l.part = 0 or g.file is not null or a.file is not null then concat(l.file, ' ', l.hunk)
          when s.sign = ' ' then concat(l.file, ' ', s.name) else s.name end as name
      from lines l
      left join (select x.line, x.sign, count(*) as times from lines x where x.sign <> ' ' group by x.line, x.sign) o on o.line = l.line and o.sign <> l.sign
      left join starts s using (side, file, hunk, part)
      left join gone g on l.side = 'old' and g.file = l.file and g.hunk = l.hunk and g.part = l.part
      left join added a on l.side = 'new' and a.file = l.file and a.hunk = l.hunk and a.part = l.part
      left join (select distinct k.file, k.hunk from gone k where not k.is_deleted) k on k.file = l.file and k.hunk = l.hunk
      where l.sign <> ' ' and (l.line ~ v_assert or l.line ~ v_matcher or l.line ~ v_skip) and not coalesce(g.is_deleted, false)
        -- A new case says nothing of others, unless one goes on under its name.
        and (a.file is null or k.file is not null)
    ), weighed as (
      select min(c.file) as file, min(c.hunk) as hunk, min(c.hunk) filter (where c.side = 'new' and c.skips) as skipped_in,
        count(*) filter (where c.side = 'new' and c.skips) > count(*) filter (where c.side = 'old' and c.skips) as is_skipped,
        count(*) filter (where c.side = 'old' and c.asserts) > count(*) filter (where c.side = 'new' and c.asserts)
          and not bool_or(c.side = 'new' and c.is_deep and c.asserts) as has_fewer,
        array(select count(*) filter (where e.side = 'old') - count(*) filter (where e.side = 'new') from unnest(array_agg(c.side), array_agg(c.exact)) e (side, exact) right join generate_series(1, 3) x on e.exact = x group by x order by x) as less
      from changed c group by c.name
    )
    select 'deleted_tests', f.path, g.hunk from gone g join files f using (file) where g.is_deleted
    union all
    -- Without its lines, or in a language that is not read here.
    select 'deleted_tests', f.path, null from files f
    where f.data ->> 'status' = 'deleted' and not exists (select from starts s where s.file = f.file)
      and coalesce(f.data ->> 'patch' !~ '(?n)^-[^-]' or f.data ->> 'patch' ~ v_assert, true)
    union all
    select 'weakened_tests', f.path, case when w.is_skipped then w.skipped_in else w.hunk end
    from weighed w join files f using (file)
    where w.is_skipped or w.has_fewer or w.less[3] > 0 and w.less[1] + w.less[2] < 0 or w.less[3] + w.less[2] > 0 and w.less[1] < 0;
end;
$$;

-- How much an assertion says by its matcher: 3 what exactly, 2 a part of it, 1 hardly anything. Null without one.
create function private.exactness(p_line text)
returns integer language sql immutable set search_path = '' as $$
  select case
    when p_line ~ '\.(toBeTruthy|toBeFalsy|toBeDefined|toHaveBeenCalled|toThrow|toThrowError|toBeCalled)\(\)|\.not\.(toBe|toEqual|toStrictEqual|toHaveLength|toBeNull|toBeUndefined|toThrow)\(|expect\.any|\massert(True|IsNotNone|NotNull|NotEmpty|ok)?\(|assert\.(ok|NotNil|NotEmpty|NoError|isOk|isDefined|exists)\(|\massert [^=!<>]*$|\massert .* is not None' then 1
    when p_line ~ '\.(toContain|toMatchObject|toMatch|toHaveLength|toBeGreaterThan\w*|toBeLessThan\w*|toBeInstanceOf|toHaveBeenCalledTimes)\(|expect\.(objectContaining|arrayContaining|stringContaining|stringMatching)|assert(In|Contains|IsInstance|Regex)\(|assert\.(Contains|Len|include|match)\(|\massert .* in ' then 2
    when p_line ~ '\.to[A-Z]\w*\(|\massert|\.(equal|strictEqual|Equal)\(' then 3 end;
$$;

-- What a line of a test is about, without the words that all tests have.
create function private.telling_words(p_line text)
returns text[] language sql immutable set search_path = '' as $$
  select array(
    select distinct m[1] from regexp_matches(p_line, '\w+', 'g') m
    where m[1] !~ '^(expect|assert\w*|to[A-Z]\w*|await|const|let|var|it|test|async|t|err|nil|return|if)$');
$$;

-- Whether a file has tests to read: code, and no data that tests use.
create function private.is_test_file(p_file jsonb)
returns boolean language sql immutable set search_path = '' as $$
  select (private.is_test_path(p_file ->> 'path') or private.is_test_path(coalesce(p_file ->> 'old_path', '')))
    and private.is_code_path(p_file ->> 'path') and not coalesce((p_file ->> 'folded')::boolean, false);
$$;
