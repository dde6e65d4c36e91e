-- Why: when a worker gives the changed files and no verdict, the database compares them with the files that the plan names:
-- none changed is EMPTY, all named ones ALIGNED, some PARTIAL, none DIVERGENT. A plan that names no file cannot be
-- confirmed that way, so it is PARTIAL. Names may have letters of any script; the marks that people set around them are none.
create function private.classify_diff(p_plan text, p_changed_files jsonb)
returns public.verify_result
language plpgsql
immutable
set search_path = ''
as $$
declare
  v_named integer;
  v_changed integer;
begin
  if p_changed_files is null then
    return null;
  end if;
  if jsonb_array_length(p_changed_files) = 0 then
    return 'EMPTY';
  end if;

  select count(*), count(*) filter (where exists (
    select from jsonb_array_elements_text(p_changed_files) f
    where f = n.path or f like '%/' || replace(replace(n.path, '%', '\%'), '_', '\_')
  ))
  into v_named, v_changed
  from (
    select distinct ltrim(m[1], './') as path
    from regexp_matches(left(coalesce(p_plan, ''), 100000), '([A-Za-z0-9_./\u00c0-\u1fff\u2c00-\u2dff\u3040-\ud7ff-]*[A-Za-z0-9_\u00c0-\u1fff\u2c00-\u2dff\u3040-\ud7ff-]\.[A-Za-z][A-Za-z0-9]{0,5})(?![A-Za-z0-9])', 'g') m
    where m[1] !~ '^(e\.g|i\.e)$'
  ) n;

  return case when v_named = 0 then 'PARTIAL' when v_changed = v_named then 'ALIGNED'
    when v_changed > 0 then 'PARTIAL' else 'DIVERGENT' end;
end;
$$;

comment on function private.classify_diff is
  'A verification result from the files that changed and the plan (specification: Agent job, verify_result).';
