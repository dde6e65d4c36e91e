-- Why: a task of a batch is done with its execution, with two exceptions: it finishes a story that another worker, CI
-- or a person must check first, or it was done in part and a person decides. That check happens once, at the end of the
-- batch.
create function private.holds_task(p_task_id uuid, p_result public.verify_result)
returns boolean
language plpgsql
stable
set search_path = ''
as $$
begin
  return exists (
    select from public.tasks t
    join public.products p on p.id = t.product_id
    where t.id = p_task_id and p.done_requires in ('other_worker', 'ci', 'person')
      and (private.finishes_story(t.id) or (p.done_requires = 'person' and private.is_in_part(p_result))));
end;
$$;

comment on function private.holds_task is 'Whether a task of a batch waits for the proof of its story (docs/proof.md).';
