-- Called by workers with --pr: branches of done work whose pull request is open, or was never seen, with what its text
-- is made of. The worker opens what could not be opened, and writes anew what was proven since. `digest` changes with
-- the text. Work of more than a week ago was left without one on purpose.
-- Definer: proof and jobs of the whole product, after access was checked.
create function operations.list_pull_texts(p_product_id uuid)
returns json
language plpgsql
stable
security definer
set search_path = ''
as $$
declare
  v_product public.products;
begin
  perform private.require_product_access(p_product_id);
  select p.* into v_product from public.products p where p.id = p_product_id;
  return json_build_object('draft', v_product.pull_requests = 'draft', 'branches', (
    with jobs as (
      select j.* from public.agent_jobs j
      where j.product_id = p_product_id and v_product.pull_requests <> 'none' and v_product.archived_at is null
        and (j.updated_at > private.now() - interval '7 days' or exists (
          select from public.pulls p where p.product_id = j.product_id and p.branch = j.branch and p.state = 'open'))
        and private.wants_pull(j) and not exists (
          select from public.tasks t where t.id = j.task_id and t.repo_url <> v_product.repo_url)
    ), stories as (
      select distinct j.branch, t.story_id from jobs j join public.tasks t on t.id = any (private.tasks_of_job(j))
    ), texts as (
      select b.branch, md5(string_agg(private.pull_digest(b.story_id), '' order by b.story_id)) as digest,
        jsonb_agg(jsonb_build_object('id', s.id, 'code', s.code, 'title', s.title, 'description', s.description) order by s.code) as stories
      from stories b join public.stories s on s.id = b.story_id
      group by b.branch
    ), newest as (
      select distinct on (j.branch) j.branch, j.updated_at, private.pull_title(j) as title from jobs j order by j.branch, j.updated_at desc, j.id
    )
    select coalesce(json_agg(json_build_object('branch', n.branch, 'title', n.title, 'digest', x.digest, 'stories', x.stories) order by n.updated_at desc), '[]')
    from (select * from newest order by updated_at desc limit 100) n join texts x on x.branch = n.branch));
end;
$$;

comment on function operations.list_pull_texts is 'What pull requests of done work say (docs/forges.md).';
grant execute on function operations.list_pull_texts to authenticated;

create function private.pull_digest(p_story_id uuid)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return (select s.title || s.description from public.stories s where s.id = p_story_id)
    || (select coalesce(string_agg(concat_ws(' ', c.text, c.state, c.grade), E'\n' order by c.place), '') from private.story_proof(p_story_id) c);
end;
$$;

comment on function private.pull_digest is 'What the part of a story in a pull request depends on.';

create function private.pull_title(p_job public.agent_jobs)
returns text
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select case
      when coalesce(r.pr_strategy, p.pr_strategy) = 'STORY' and s.id is not null then s.code || ': ' || s.title
      when r.id is null then t.code || ': ' || t.title
      when n.id is null then 'Run of ' || private.run_subject(r)
      else n.code || ': ' || n.sprint_goal end
    from public.products p
    left join public.sprint_runs r on r.id = p_job.sprint_run_id
    left join public.sprints n on n.id = r.sprint_id
    left join public.tasks t on t.id = p_job.task_id
    left join public.stories s on s.id = t.story_id
    where p.id = p_job.product_id);
end;
$$;

comment on function private.pull_title is 'The title of a pull request: its sprint''s, or its story''s.';
