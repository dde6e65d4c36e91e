-- Why: a worker started with --pr says at once whether the product wants pull requests.
set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION operations.list_pull_texts(p_product_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_product public.products;
begin
  perform private.require_product_access(p_product_id);
  select p.* into v_product from public.products p where p.id = p_product_id;
  return json_build_object('wanted', v_product.pull_requests <> 'none', 'draft', v_product.pull_requests = 'draft', 'branches', (
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
    select coalesce(json_agg(json_build_object('branch', n.branch, 'title', n.title, 'digest', x.digest, 'stories', x.stories,
      'url', (select min(p.url) from public.pulls p where p.product_id = p_product_id and p.branch = n.branch and p.state = 'open')) order by n.updated_at desc), '[]')
    from (select * from newest order by updated_at desc limit 100) n join texts x on x.branch = n.branch));
end;
$function$;
