-- Why: boards and runs show in one line what an agent is doing: the latest entry of an attempt, cut to a line. Not for
-- conversations about ideas. Definer: entries have no policy for users; access to the product is checked.
create function private.doing_now(p_job_id uuid, p_attempt integer)
returns jsonb
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (
    select jsonb_build_object('kind', o.kind, 'status', o.status, 'at', o.at,
      'title', left(coalesce(nullif(o.title, ''), nullif(o.path, ''), split_part(ltrim(o.text, E' \n'), E'\n', 1)), 200))
    from public.agent_jobs j
    join public.job_outputs o on o.job_id = j.id and o.attempt = p_attempt
    where j.id = p_job_id and j.kind <> 'PLAN_CHAT' and j.product_id in (select private.accessible_product_ids())
    order by o.seq desc
    limit 1);
end;
$$;

comment on function private.doing_now is 'The latest entry of an attempt in one line, or null (docs/agents.md, live output).';

grant execute on function private.doing_now to authenticated;
