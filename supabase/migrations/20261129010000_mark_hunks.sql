-- Marks of a change have their files with the first hunk in one column, and secrets_or_auth is two marks: of its
-- paths those that have to do with sign-in are auth, and the others, or none at all, had a line like a key.
alter table public.job_diffs rename column marks to former_marks;
alter table public.job_diffs add column marks jsonb not null default '{}' constraint job_diffs_marks_form check (jsonb_typeof(marks) = 'object');
update public.job_diffs d
set marks = (
  select jsonb_object_agg(m.mark, m.entries)
  from (
    select x.mark, coalesce(jsonb_agg(distinct jsonb_build_object('path', x.path, 'hunk', null)) filter (where x.path is not null), '[]') as entries
    from (
      select case
        when f.mark <> 'secrets_or_auth' then f.mark
        when p.path ~* '(^|/)\.env|auth|login|passw|secret|credential|permission|session|token|crypt|security|oauth|\.(pem|key|p12)$' then 'auth'
        else 'secret' end as mark, p.path
      from unnest(d.former_marks) f (mark)
      left join lateral jsonb_array_elements_text(d.mark_paths -> f.mark) p (path) on true
    ) x
    group by x.mark
  ) m)
where d.former_marks <> '{}';
alter table public.job_diffs drop column former_marks, drop column mark_paths;
comment on column public.job_diffs.marks is
  'Facts that ask for a careful look, by private.review_marks: of each its files with the first hunk, or none where it is about the whole.';
