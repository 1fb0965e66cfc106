package io.shardedid.sample.browser;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.logging.Level;

import io.shardedid.tools.Tool;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * A headless Chromium that visits the application. Both programs are named to Selenium,
 * so that it looks for neither in the network.
 */
final class Browser {

    private static final Path SCREENSHOTS = Path.of("..", "docs", "screenshots");

    private static final String AXE = axe();

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final ChromeDriver driver;

    private final String root;

    private Browser(ChromeDriver driver, String root) {
        this.driver = driver;
        this.root = root;
    }

    static ChromeDriver start() {
        List<Path> programs = Tool.BROWSER.files();
        ChromeOptions options = new ChromeOptions();
        options.setBinary(programs.get(0).toFile());
        options.addArguments("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-extensions",
                "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars");
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(programs.get(1).toFile())
            .build();
        return new ChromeDriver(service, options);
    }

    /** As it would be had it just been started. */
    static Browser at(ChromeDriver driver, int port) {
        Browser browser = new Browser(driver, "http://localhost:" + port);
        driver.get("about:blank");
        browser.command("Network.clearBrowserCookies", Map.of());
        browser.command("Network.clearBrowserCache", Map.of());
        browser.startAtADeskInTheLight();
        browser.complaints();
        return browser;
    }

    void startAtADeskInTheLight() {
        scripts(true);
        dark(false);
        window(1280, 960, false);
    }

    private static String axe() {
        try (InputStream script = ChromeDriver.class.getResourceAsStream("/axe.min.js")) {
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (IOException ex) {
            throw new UncheckedIOException("Could not read the accessibility checker", ex);
        }
    }

    void window(int width, int height, boolean phone) {
        command("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", phone ? 2 : 1, "mobile", phone));
    }

    void dark(boolean dark) {
        command("Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    void scripts(boolean run) {
        command("Emulation.setScriptExecutionDisabled", Map.of("value", !run));
    }

    private void command(String name, Map<String, Object> parameters) {
        this.driver.executeCdpCommand(name, parameters);
    }

    void visit(String path) {
        this.driver.get(this.root + path);
    }

    String path() {
        return this.driver.getCurrentUrl().substring(this.root.length());
    }

    WebElement find(String selector) {
        return this.driver.findElement(By.cssSelector(selector));
    }

    int count(String selector) {
        return this.driver.findElements(By.cssSelector(selector)).size();
    }

    String text(String selector) {
        return find(selector).getText();
    }

    List<String> texts(String selector) {
        return this.driver.findElements(By.cssSelector(selector)).stream().map(WebElement::getText).toList();
    }

    void type(String selector, String text) {
        find(selector).sendKeys(text);
    }

    /** Clicks what leads to another page, and waits for that page. */
    void follow(String selector) {
        WebElement element = find(selector);
        element.click();
        until("a click on '" + selector + "' leads to another page", (now) -> now.count("main") == 1 && gone(element));
    }

    /** Returns whether the document of an element was replaced by another one. */
    private static boolean gone(WebElement element) {
        try {
            element.isEnabled();
            return false;
        }
        catch (StaleElementReferenceException stale) {
            return true;
        }
        catch (WebDriverException other) {
            // what Chromium answers while it replaces the document
            if (String.valueOf(other.getMessage()).contains("does not belong to the document")) {
                return true;
            }
            throw other;
        }
    }

    /**
     * Waits for something that scripts do.
     * @param fact what will be so, for whoever reads that it was not
     */
    void until(String fact, Predicate<Browser> condition) {
        new WebDriverWait(this.driver, PATIENCE, Duration.ofMillis(100))
            .withMessage(() -> "it is not so that %s; page=%s, complaints=%s, text=%s".formatted(fact, path(),
                    complaints(), text("main")))
            .until((driver) -> condition.test(this));
    }

    Object script(String script) {
        return this.driver.executeScript(script);
    }

    boolean scrollsSideways() {
        return (Boolean) script("return document.documentElement.scrollWidth > document.documentElement.clientWidth");
    }

    /** Whether the page as it is painted, not as it was asked for, is dark. */
    boolean dark() {
        return (Boolean) script("""
                const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g);
                return Number(red) + Number(green) + Number(blue) < 3 * 64""");
    }

    /** Links and buttons of the header of which a part is outside of it. */
    @SuppressWarnings("unchecked")
    List<String> cutOff() {
        return (List<String>) script("""
                const cut = (element, frame) => element.right > frame.right + 1 || element.left < frame.left - 1;
                return [...document.querySelectorAll("header a, header button")].filter((element) =>
                    cut(element.getBoundingClientRect(), document.querySelector("header").getBoundingClientRect())
                    || element.closest("nav") && cut(element.getBoundingClientRect(),
                        element.closest("nav").getBoundingClientRect())).map((element) => element.textContent)""");
    }

    /** Navigations whose links stand in more than one row. */
    @SuppressWarnings("unchecked")
    List<String> wrapped() {
        return (List<String>) script("""
                return [...document.querySelectorAll("header nav")].filter((nav) =>
                    new Set([...nav.querySelectorAll("a")].map((link) => Math.round(link.getBoundingClientRect().top)))
                        .size > 1).map((nav) => nav.ariaLabel)""");
    }

    /** What the accessibility checker axe finds on the page, whatever its weight. */
    @SuppressWarnings("unchecked")
    List<String> accessibilityFindings() {
        if ((Boolean) script("return typeof axe === 'undefined'")) {
            script(AXE);
        }
        return (List<String>) this.driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                axe.run({ resultTypes: ["violations"] }).then(
                    (found) => done(found.violations.flatMap((rule) => rule.nodes.map((node) =>
                        `${rule.impact} ${rule.id}: ${node.html} ${node.failureSummary}`))),
                    (failed) => done([String(failed)]))""");
    }

    /**
     * What the console complained about since the last call, scripts and policy included.
     */
    List<String> complaints() {
        return this.driver.manage()
            .logs()
            .get(LogType.BROWSER)
            .getAll()
            .stream()
            .filter((entry) -> entry.getLevel().intValue() >= Level.WARNING.intValue())
            .map(LogEntry::getMessage)
            .toList();
    }

    /** Pictures are decoded beside the page, and come into it after a while. */
    private void paintPictures() {
        Object painted = this.driver.executeAsyncScript("""
                const done = arguments[arguments.length - 1];
                const seen = [...document.images].filter((image) => image.getBoundingClientRect().top < innerHeight);
                const painted = () => requestAnimationFrame(() => requestAnimationFrame(() => done(true)));
                Promise.all(seen.map((image) => {
                  image.loading = "eager";
                  image.decoding = "sync";
                  return image.decode();
                })).then(painted, () => done(false))""");
        if (!Boolean.TRUE.equals(painted)) {
            throw new IllegalStateException("Could not show every picture: page=" + path());
        }
    }

    /** Writes what is seen to {@code docs}, with {@code -Dscreenshots=true}. */
    void screenshot(String name) {
        if (Boolean.getBoolean("screenshots")) {
            paintPictures();
            Screenshot.write(this.driver.getScreenshotAs(OutputType.BYTES), SCREENSHOTS.resolve(name + ".png"));
        }
    }

}
